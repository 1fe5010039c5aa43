// What moves on a lesson's page: panels, whose controls recompute what is drawn, and animations.
//
// A panel's own script defines pure functions, among them compute(inputs, data): `inputs` has each
// control's number by its key, `data` is what the lesson handed over. It returns
//   numbers   a flat array of what is drawn, for the test that compares it with the library
//   pictures  any of
//     {kind: "map", title, rows, columns, weights, row_axis, column_axis, quantity, signed, size}
//     {kind: "curves", title, x_axis, y_axis, series: [{name, x, y, points}], low, high}
//     {kind: "bars", title, value_axis, names, series: [{name, values}], low, high}
//     where `weights` is rows of numbers, `signed` asks for the diverging colours, `size` is the
//     number at the end of the colours (absent: 1 for weights, else the largest), and low and high
//     (may be absent) are what the axis shows at least, so that it does not jump
//   text      lines below (may be absent)
const look = attendData('attend-look');
const darkMode = matchMedia('(prefers-color-scheme: dark)');
const redraws = [];
darkMode.addEventListener('change', () => redraws.forEach(redraw => redraw()));

const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const shown = value => {
  if (!Number.isFinite(value)) return '?';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size !== 1 && size < 1e5) return String(value);
  if (size !== 0 && (size < 5e-4 || size >= 1e5)) return value.toExponential(1);
  return size >= 100 ? value.toFixed(1) : value.toFixed(3);
};
const inCell = value => {
  if (!Number.isFinite(value)) return '?';
  if (Math.abs(value) < 0.005) return '';
  const text = Math.abs(value) < 9.95 ? value.toFixed(2) : value.toFixed(0);
  return text.replace(/^(-?)0\./, '$1.');
};
const label = (x, y, text, options = '') => `<text x="${x}" y="${y}" ${options}>${escaped(text)}</text>`;

function ticks(low, high, count) {
  const rough = (high - low) / count;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find(m => m * power >= rough) * power;
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    out.push(+(k * step).toPrecision(12));
  return out;
}

const width = text => [...String(text)].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e80 ? 12 : 7), 0);
// Narrow screens shrink a picture to six tenths, then scroll it.
const svg = (wide, high, name, body) =>
  `<svg class="live" role="img" style="min-width:${Math.round(wide * 0.6)}px" width="${wide}" viewBox="0 0 ${wide} ${high}">` +
  `<title>${escaped(name)}</title>${body}</svg>`;

function drawMap(picture) {
  const rows = picture.rows, columns = picture.columns;
  const all = picture.weights.flat().filter(Number.isFinite);
  const size = picture.size || Math.max(...all.map(Math.abs), 1e-12);
  const unit = !picture.size && !picture.signed && all.every(w => w >= -1e-4 && w <= 1.0001);
  const low = picture.signed ? -size : Math.min(0, ...all), high = unit ? 1 : size;
  const palette = look[picture.signed ? 'diverging' : 'heat'][darkMode.matches ? 1 : 0];
  const level = w => Math.round(Math.min(1, Math.max(0, (w - low) / (high - low))) * 255);
  const cell = Math.max(3, Math.min(40, Math.floor(560 / Math.max(columns.length, rows.length))));
  const every = Math.ceil(13 / cell);
  const left = Math.max(...rows.map(width)) + 30;
  const slanted = Math.max(...columns.map(width)) > cell * every;
  const top = (slanted ? Math.max(...columns.map(width)) * 0.72 + 12 : 20) + 20;
  let body = label(left, 14, `${picture.column_axis || 'keys'} →`, 'class="dim"');
  body += label(12, top + cell * rows.length / 2, `← ${picture.row_axis || 'queries'}`,
    `class="dim" text-anchor="middle" transform="rotate(-90 12 ${top + cell * rows.length / 2})"`);
  rows.forEach((name, r) => {
    if (r % every === 0)
      body += label(left - 6, top + cell * (r + 0.5) + 4, name, 'text-anchor="end"');
    columns.forEach((column, c) => {
      const w = picture.weights[r][c];
      const fill = Number.isFinite(w) ? palette[level(w)] : '#999999';
      const x = left + cell * c, y = top + cell * r, gap = cell >= 8 ? 1 : 0;
      body += `<rect x="${x}" y="${y}" width="${cell - gap}" height="${cell - gap}" fill="${fill}">` +
        `<title>${escaped(name)} → ${escaped(column)}: ${shown(w)}</title></rect>`;
      if (cell >= 27) {
        const ink = look.ink[picture.signed ? 1 : 0][darkMode.matches ? 1 : 0][level(w)] === '1';
        body += label(x + cell / 2, y + cell / 2 + 4, inCell(w),
          `font-size="11" text-anchor="middle" style="fill:${ink ? '#000000' : '#ffffff'};pointer-events:none"`);
      }
    });
  });
  columns.forEach((name, c) => {
    if (c % every) return;
    const x = left + cell * (c + 0.5);
    body += slanted ? label(x, top - 6, name, `transform="rotate(-45 ${x} ${top - 6})"`)
                    : label(x, top - 6, name, 'text-anchor="middle"');
  });
  const bar = top + cell * rows.length + 14;
  for (let i = 0; i < 64; ++i)
    body += `<rect x="${left + 3 * i}" y="${bar}" width="3.5" height="10" fill="${palette[i * 4 + 3]}"/>`;
  body += label(left, bar + 24, shown(low)) +
    label(left + 192, bar + 24, `${shown(high)}  ${picture.quantity || 'weight'}`, 'text-anchor="middle"');
  const wide = Math.max(left + cell * columns.length + (slanted ? 60 : 10), left + 260);
  return svg(wide, bar + 32, picture.title || 'map', body);
}

function drawCurves(picture) {
  const wide = 640, high = 340, left = 56, right = wide - 14, top = 44, bottom = high - 44;
  const points = picture.series.flatMap(s => s.x.map((x, i) => [x, s.y[i]]))
    .filter(p => p.every(Number.isFinite));
  const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
  if (picture.low !== undefined) ys.push(picture.low);
  if (picture.high !== undefined) ys.push(picture.high);
  const range = v => [Math.min(...v), Math.max(...v)];
  const [x0, x1] = range(xs);
  let [y0, y1] = range(ys);
  if (!(y1 > y0)) [y0, y1] = [y0 - 1, y1 + 1];
  const x = v => left + (right - left) * (v - x0) / (x1 - x0 || 1);
  const y = v => bottom - (bottom - top) * (v - y0) / (y1 - y0);
  let body = label(8, top - 12, picture.y_axis || '', 'class="dim"') +
    label((left + right) / 2, high - 8, picture.x_axis || '', 'class="dim" text-anchor="middle"');
  for (const t of ticks(y0, y1, 5))
    body += `<path class="rule" d="M${left} ${y(t)}H${right}"/>` +
      label(left - 6, y(t) + 4, t, 'text-anchor="end"');
  for (const t of ticks(x0, x1, 7))
    body += `<path class="edge" d="M${x(t)} ${bottom}v5"/>` +
      label(x(t), bottom + 18, t, 'text-anchor="middle"');
  body += `<path class="edge" d="M${left} ${bottom}H${right}"/>`;
  let legend = left;
  picture.series.forEach((s, n) => {
    if (s.points)
      s.x.forEach((v, i) => {
        body += `<circle class="f${n % 8}" cx="${x(v)}" cy="${y(s.y[i])}" r="3"/>`;
      });
    else
      body += `<path class="l${n % 8}" d="${s.x.map((v, i) => `${i ? 'L' : 'M'}${x(v).toFixed(1)} ${y(s.y[i]).toFixed(1)}`).join('')}"/>`;
    body += s.points ? `<circle class="f${n % 8}" cx="${legend + 10}" cy="12" r="3"/>`
                     : `<path class="l${n % 8}" d="M${legend} 12h20"/>`;
    body += label(legend + 26, 16, s.name);
    legend += 46 + width(s.name);
  });
  return svg(wide, high, picture.title || 'curves', body);
}

function drawBars(picture) {
  const left = Math.max(...picture.names.map(width)) + 14, right = left + 420;
  const values = picture.series.flatMap(s => s.values).filter(Number.isFinite);
  const low = Math.min(0, picture.low ?? 0, ...values);
  const high = Math.max(picture.high ?? 0, low + 1e-12, ...values);
  const x = v => left + (right - left) * (v - low) / (high - low);
  const group = 16 * picture.series.length + 8;
  const legend = picture.series.length > 1 ? 22 : 6;
  const bottom = legend + group * picture.names.length;
  let body = '';
  for (const t of ticks(low, high, 5))
    body += `<path class="rule" d="M${x(t)} ${legend}V${bottom}"/>` +
      label(x(t), bottom + 16, t, 'text-anchor="middle"');
  picture.names.forEach((name, i) => {
    const y = legend + group * i + 4;
    body += label(left - 6, y + group / 2, name, 'text-anchor="end"');
    picture.series.forEach((s, n) => {
      const to = x(s.values[i]), from = x(0);
      body += `<rect class="f${n}" x="${Math.min(from, to)}" y="${y + 16 * n}" height="14" ` +
        `width="${Math.abs(to - from)}"/>` + label(Math.max(from, to) + 4, y + 16 * n + 11, shown(s.values[i]));
    });
  });
  let at = left;
  if (picture.series.length > 1)
    picture.series.forEach((s, n) => {
      body += `<rect class="f${n}" x="${at}" y="2" width="12" height="12"/>` + label(at + 17, 12, s.name);
      at += 36 + width(s.name);
    });
  body += label((left + right) / 2, bottom + 32, picture.value_axis || '', 'class="dim" text-anchor="middle"');
  return svg(right + 70, bottom + 38, picture.title || 'bars', body);
}

const drawings = {map: drawMap, curves: drawCurves, bars: drawBars};
const draw = picture => `<figure>${picture.title ? `<figcaption>${escaped(picture.title)}</figcaption>` : ''}` +
  `<div class="scroll">${drawings[picture.kind](picture)}</div></figure>`;

function element(parent, tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

// A label in both languages, which the page's switch shows or hides.
function bilingual(parent, text) {
  if (text.en) element(parent, 'span', text.en, {lang: 'en'});
  if (text.zh) element(parent, 'span', text.zh, {lang: 'zh'});
}

window.attendPanel = (id, compute) => {
  const {controls, data} = attendData(id);
  const root = document.getElementById(`${id}-view`);
  const form = element(root, 'div', '', {class: 'controls'});
  const output = element(root, 'div', '', {class: 'pictures', 'aria-live': 'off'});
  const inputs = {};
  const update = () => {
    const result = compute({...inputs}, data);
    output.innerHTML = result.pictures.map(draw).join('') +
      (result.text || []).map(line => `<p class="result">${escaped(line)}</p>`).join('');
  };
  for (const control of controls) {
    const row = element(form, 'label', '');
    bilingual(row, control.label);
    inputs[control.key] = control.value;
    if (control.choices.length) {
      const menu = element(row, 'select', '');
      control.choices.forEach((choice, i) => element(menu, 'option', choice, {value: i}));
      menu.value = control.value;
      menu.addEventListener('input', () => { inputs[control.key] = +menu.value; update(); });
    } else {
      const {minimum: min, maximum: max, step, value} = control;
      const slider = element(row, 'input', '', {type: 'range', min, max, step, value});
      const number = element(row, 'output', String(value));
      slider.addEventListener('input', () => {
        inputs[control.key] = +slider.value;
        number.textContent = slider.value;
        update();
      });
    }
  }
  redraws.push(update);
  update();
};

window.attendAnimation = id => {
  const film = attendData(id);
  const root = document.getElementById(`${id}-view`);
  const bar = element(root, 'div', '', {class: 'controls'});
  const play = element(bar, 'button', '▶');
  play.setAttribute('aria-label', 'play');
  const slider = element(bar, 'input', '', {type: 'range', min: 0, max: film.frames.length - 1, step: 1,
    value: film.frames.length - 1});
  const name = element(bar, 'output', '');
  const output = element(root, 'div', '', {class: 'pictures'});
  const update = () => {
    const frame = film.frames[+slider.value];
    name.textContent = frame.label;
    output.innerHTML = film.panels.map((panel, p) => draw({
      kind: 'map', title: panel.title, rows: panel.rows, columns: panel.columns,
      weights: frame.weights[p],
      row_axis: film.row_axis, column_axis: film.column_axis, quantity: film.quantity,
      signed: film.signed, size: film.size})).join('');
  };
  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = '▶'; };
  play.addEventListener('click', () => {
    if (timer) return stop();
    if (+slider.value === film.frames.length - 1) slider.value = 0;
    play.textContent = '❚❚';
    update();
    timer = setInterval(() => {
      slider.value = +slider.value + 1;
      update();
      if (+slider.value === film.frames.length - 1) stop();
    }, 600);
  });
  slider.addEventListener('input', () => { stop(); update(); });
  redraws.push(update);
  update();
};
