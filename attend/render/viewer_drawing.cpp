#include "attend/render/viewer_assets.h"

namespace attend::render {

const char* const kViewerDrawing = R"js(
'use strict';
const map = attendData('attend-map');
const settings = attendData('attend-settings');
const $ = id => document.getElementById(id);
const darkQuery = matchMedia('(prefers-color-scheme: dark)');

// ---- words: of the page's language, which a switch on it may change
const say = (en, zh) => document.documentElement.lang.startsWith('zh') ? zh : en;
const kindName = kind => ({cross: say('cross', '交叉注意力'),
  'encoder-self': say('encoder-self', '编码器自注意力'),
  'decoder-self': say('decoder-self', '解码器自注意力')})[kind] || kind;
const layerName = p => p.layer === null ? '' : say('layer ', '层 ') + (p.layer + 1);
const headName = p => p.head === null ? '' : say('head ', '头 ') + (p.head + 1);
// A label as it is drawn: control characters to be seen, a very long one cut.
const drawn = text => {
  const parts = [...text.replace(/[\x00-\x1f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))];
  return parts.length > 60 ? parts.slice(0, 59).join('') + '…' : parts.join('');
};

// ---- panels: those of the file, and a mean where a layer has several heads
const builtName = p => [kindName(p.kind), layerName(p), headName(p),
  p.heads ? say(`mean over ${p.heads} heads`, `${p.heads} 个头的平均`) : ''].filter(x => x).join(', ') ||
  say('weights', '权重');
// A title is English: what is built tells as much of the kinds that are known.
const nameOf = p => !p.title || say(false, kindName(p.kind) !== p.kind) ? builtName(p) : p.title;
const groupOf = p => JSON.stringify([p.kind, p.layer, p.rows, p.columns]);
function meanOf(heads) {
  const weights = heads[0].weights.map((row, r) => row.map((_, c) =>
    heads.some(h => h.weights[r][c] === null) ? null :
    heads.reduce((sum, h) => sum + h.weights[r][c], 0) / heads.length));
  return {...heads[0], title: '', head: null, heads: heads.length, weights};
}
function withMeans(panels) {
  const groups = new Map();
  for (const p of panels) if (p.head !== null) {
    const key = groupOf(p);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(p);
  }
  return [...panels, ...[...groups.values()].filter(g => g.length > 1).map(meanOf)];
}
const panels = withMeans(map.panels).map(p => ({...p, rows: p.rows.map(drawn),
  columns: p.columns.map(drawn)}));

// ---- the scale: one for all panels, so that equal colours mean equal weights
const extent = panels.reduce((e, p) => {
  for (const row of p.weights) for (const w of row) if (w !== null) {
    e.low = Math.min(e.low, w); e.high = Math.max(e.high, w);
  }
  return e;
}, {low: Infinity, high: -Infinity});
let scale;
function chooseScale() {
  const unit = extent.high < extent.low || (extent.low >= -1e-4 && extent.high <= 1 + 1e-4);
  if ($('scaling').value === 'unit' && unit || extent.high < extent.low) scale = {low: 0, high: 1};
  else scale = {low: extent.low < -1e-4 ? extent.low : 0, high: extent.high};
  if (!(scale.high > scale.low)) scale.high = scale.low + 1;
  scale.unit = scale.low === 0 && scale.high === 1;
}
const fraction = w => Math.min(1, Math.max(0, (w - scale.low) / (scale.high - scale.low)));
const palette = () => darkQuery.matches ? settings.dark : settings.light;
const colourOf = w => w === null ? (darkQuery.matches ? settings.missingDark : settings.missingLight)
  : palette()[Math.round(255 * fraction(w))];
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255)
    .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b > .179 ? '#000000' : '#ffffff';
}
const format = w => w === null ? say('not a number', '不是数') : w === 0 ? '0.000'
  : Math.abs(w) < .001 || Math.abs(w) >= 1e6 ? w.toExponential(1) : w.toFixed(3);
const short = w => w === null ? '×' : Math.abs(w) < .005 ? ''
  : Math.abs(w) < .995 ? w.toFixed(2).replace('0.', '.') : w.toFixed(Math.abs(w) < 10 ? 1 : 0);

// ---- what is chosen: a panel, and in it a row, a column, both or neither
let panel = 0;
let row = -1, column = -1;
let layout;

function fitCanvas(canvas, width, height) {
  // Browsers draw nothing on canvases beyond some 16,000 pixels a side.
  const ratio = Math.min(devicePixelRatio || 1, 16000 / width, 16000 / height);
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function layOut(p) {
  const n = Math.max(p.rows.length, p.columns.length, 1);
  const measure = document.createElement('canvas').getContext('2d');
  const widths = labels => labels.map(label => measure.measureText(label).width);
  const family = getComputedStyle(document.body).fontFamily;
  measure.font = '13px ' + family;
  const room = Math.min(640, $('viewer').clientWidth - Math.max(0, ...widths(p.rows)) - 40);
  const cell = Math.max(n > 1000 ? 1 : n > 300 ? 4 : 12, Math.min(36, Math.floor(room / n)));
  const font = Math.max(9, Math.min(13, Math.floor(cell * .75)));
  measure.font = font + 'px ' + family;
  const left = Math.ceil(Math.max(0, ...widths(p.rows))) + 12;
  const slant = Math.SQRT1_2;
  const columnWidths = widths(p.columns);
  const top = Math.ceil(slant * (Math.max(0, ...columnWidths) + font)) + 10;
  const matrixWidth = cell * p.columns.length;
  const right = Math.max(4, ...columnWidths.map((w, c) =>
    (c + .5) * cell + slant * (w + font) + 4 - matrixWidth));
  return {cell, font, left, top, step: Math.max(1, Math.ceil(font * 1.1 / cell)),
    family: measure.font, width: Math.ceil(left + matrixWidth + right),
    height: top + cell * p.rows.length + 4};
}

// Everything but the highlight is drawn once a panel, aside, so that pointing stays quick.
const base = document.createElement('canvas');
const property = name => getComputedStyle(document.body).getPropertyValue(name);

function drawRowLabel(context, label, r, colour) {
  context.fillStyle = colour;
  context.textAlign = 'right';
  context.fillText(label, layout.left - 7, layout.top + (r + .5) * layout.cell);
}
function drawColumnLabel(context, label, c, colour) {
  context.save();
  context.translate(layout.left + (c + .5) * layout.cell + layout.font * .1, layout.top - 6);
  context.rotate(-Math.PI / 4);
  context.fillStyle = colour;
  context.textAlign = 'left';
  context.fillText(label, 0, 0);
  context.restore();
}
function drawCells(context, p) {
  const {cell, left, top} = layout;
  const gap = cell >= 8 ? 1 : 0;
  const showsNumbers = $('numbers').checked && cell >= 27;
  context.textAlign = 'center';
  context.font = Math.min(11, cell * .36) + 'px ' + getComputedStyle(document.body).fontFamily;
  p.weights.forEach((weights, r) => weights.forEach((w, c) => {
    const colour = colourOf(w);
    context.fillStyle = colour;
    context.fillRect(left + c * cell, top + r * cell, cell - gap, cell - gap);
    if (!showsNumbers && (w !== null || cell < 8)) return;
    context.fillStyle = inkOn(colour);
    context.fillText(short(w), left + (c + .5) * cell - gap / 2, top + (r + .5) * cell);
  }));
}
function drawBase() {
  const p = panels[panel];
  layout = layOut(p);
  const context = fitCanvas(base, layout.width, layout.height);
  context.textBaseline = 'middle';
  context.font = layout.family;
  const ink = property('--ink');
  p.rows.forEach((label, r) => { if (r % layout.step === 0) drawRowLabel(context, label, r, ink); });
  p.columns.forEach((label, c) => {
    if (c % layout.step === 0) drawColumnLabel(context, label, c, ink);
  });
  drawCells(context, p);
  if (!p.rows.length || !p.columns.length) {
    context.fillStyle = property('--dim');
    context.textAlign = 'left';
    context.fillText(p.rows.length ? say('no columns', '没有列') : say('no rows', '没有行'), 4, 12);
  }
  fitCanvas($('heat'), layout.width, layout.height);
  const [r, c] = [p.rows.length, p.columns.length];
  $('heat').setAttribute('aria-label', nameOf(p) + say(
    `, ${r} rows by ${c} columns; move with the arrow keys`, `，${r} 行 ${c} 列；用方向键移动`));
}
function drawHighlight() {
  const p = panels[panel];
  const {cell, left, top} = layout;
  const context = $('heat').getContext('2d');
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, base.width, base.height);
  context.drawImage(base, 0, 0);
  context.restore();
  const accent = property('--accent');
  context.textBaseline = 'middle';
  context.font = layout.family;
  context.strokeStyle = accent;
  context.lineWidth = 2;
  if (row >= 0) {
    drawRowLabel(context, p.rows[row], row, accent);
    context.strokeRect(left - 1, top + row * cell - 1, cell * p.columns.length + 1, cell + 1);
  }
  if (column >= 0) {
    drawColumnLabel(context, p.columns[column], column, accent);
    context.strokeRect(left + column * cell - 1, top - 1, cell + 1, cell * p.rows.length + 1);
  }
}
function draw() { drawBase(); drawHighlight(); }

// ---- the words of both texts, coloured by what is chosen on the other side
function fillStrip(box, labels) {
  box.replaceChildren(...labels.map((label, i) => {
    const word = document.createElement('button');
    word.className = 'word';
    word.textContent = label === '' ? '\u00a0' : label;
    word.dataset.index = i;
    return word;
  }));
}
function paintStrip(box, chosen, weightOf) {
  [...box.children].forEach((word, i) => {
    const weight = weightOf(i);
    word.classList.toggle('chosen', i === chosen);
    word.style.background = weight === undefined ? '' : colourOf(weight);
    word.style.color = weight === undefined ? '' : inkOn(colourOf(weight));
    word.title = weight === undefined ? '' : format(weight);
  });
}
function fillStrips() {
  fillStrip($('columns'), panels[panel].columns);
  fillStrip($('rows'), panels[panel].rows);
}
function paintStrips() {
  const weights = panels[panel].weights;
  paintStrip($('columns'), column, c => row >= 0 ? weights[row][c] : undefined);
  paintStrip($('rows'), row, r => column >= 0 && row < 0 ? weights[r][column] : undefined);
}

function read() {
  const p = panels[panel];
  const top = list => list.map((w, i) => [w, i]).filter(x => x[0] !== null)
    .sort((a, b) => b[0] - a[0]).slice(0, 3);
  let text = say('Point at a cell or a word, or use the arrow keys on the picture.',
    '指向格子或词，或在图上用方向键。');
  if (row >= 0 && column >= 0)
    text = p.rows[row] + ' → ' + p.columns[column] + ': ' + format(p.weights[row][column]);
  else if (row >= 0)
    text = p.rows[row] + say(' attends to ', ' 关注 ') + top(p.weights[row])
      .map(([w, c]) => p.columns[c] + ' ' + format(w)).join(', ');
  else if (column >= 0)
    text = p.columns[column] + say(' is attended by ', ' 受关注于 ') +
      top(p.weights.map(weights => weights[column]))
      .map(([w, r]) => p.rows[r] + ' ' + format(w)).join(', ');
  $('reading').textContent = text;
}

function choose(r, c) {
  if (r === row && c === column) return;
  row = r; column = c;
  drawHighlight(); paintStrips(); read();
}

function drawScale() {
  const ramp = $('ramp');
  const context = fitCanvas(ramp, 240, 14);
  for (let i = 0; i < 240; ++i) {
    context.fillStyle = palette()[Math.round(255 * i / 239)];
    context.fillRect(i, 0, 1, 14);
  }
  $('low').textContent = scale.unit ? '0' : format(scale.low);
  $('high').textContent = scale.unit ? '1' : format(scale.high);
  $('scale-note').textContent = scale.unit ? say('weight', '权重')
    : say('weight; the colours span the values of this map', '权重；颜色覆盖本图的取值范围');
}

function thumbnail(p) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.min(p.columns.length, 64));
  canvas.height = Math.max(1, Math.min(p.rows.length, 64));
  const context = canvas.getContext('2d');
  for (let y = 0; y < canvas.height; ++y) for (let x = 0; x < canvas.width; ++x) {
    const r = Math.floor(y * p.rows.length / canvas.height);
    const c = Math.floor(x * p.columns.length / canvas.width);
    context.fillStyle = p.weights[r] && c in p.weights[r] ? colourOf(p.weights[r][c]) : 'transparent';
    context.fillRect(x, y, 1, 1);
  }
  return canvas;
}
// A line of thumbnails for each kind and layer: its heads, then their mean.
function overviewLines() {
  const lines = new Map();
  panels.forEach((p, i) => {
    const name = [kindName(p.kind), layerName(p)].filter(x => x).join(', ');
    if (!lines.has(name)) lines.set(name, []);
    lines.get(name).push(i);
  });
  return lines;
}
function shortName(p, i) {
  if (p.head !== null) return headName(p);
  if (p.heads || /(^|, )mean over \d+ heads$/.test(p.title)) return say('mean', '平均');
  return p.title.length > 14 ? p.title.slice(0, 13) + '…' : p.title || String(i + 1);
}
function thumbnailButton(i) {
  const p = panels[i];
  const button = document.createElement('button');
  button.append(thumbnail(p), shortName(p, i));
  button.title = nameOf(p);
  button.dataset.panel = i;
  button.setAttribute('aria-label', nameOf(p));
  button.setAttribute('aria-pressed', i === panel);
  button.onclick = () => { show(i); $('heat').scrollIntoView({block: 'nearest'}); };
  return button;
}
function drawOverview() {
  $('overview').hidden = panels.length < 2;
  if (panels.length < 2) return;
  $('overview').replaceChildren(...[...overviewLines()].map(([name, members]) => {
    const line = document.createElement('div');
    const label = document.createElement('span');
    label.className = 'axis';
    label.textContent = name;
    const buttons = document.createElement('div');
    buttons.append(...members.map(thumbnailButton));
    if (name) line.append(label);
    line.append(buttons);
    return line;
  }));
}

function fillTable() {
  if (!$('table-box').open) return;
  const p = panels[panel];
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  const heading = (tr, text, scope) => {
    const th = document.createElement('th');
    th.textContent = text;
    th.scope = scope;
    tr.append(th);
  };
  heading(head, map.row_axis + ' \\ ' + map.column_axis, 'col');
  p.columns.forEach(label => heading(head, label, 'col'));
  const body = table.createTBody();
  p.weights.forEach((weights, r) => {
    const tr = body.insertRow();
    heading(tr, p.rows[r], 'row');
    weights.forEach(w => { tr.insertCell().textContent = format(w); });
  });
  $('table').replaceChildren(table);
}

function show(i) {
  panel = (i + panels.length) % panels.length;
  row = column = -1;
  $('panel').value = panel;
  for (const button of $('overview').querySelectorAll('button'))
    button.setAttribute('aria-pressed', Number(button.dataset.panel) === panel);
  draw(); fillStrips(); paintStrips(); read(); fillTable();
}
function redraw() { chooseScale(); drawScale(); drawOverview(); draw(); paintStrips(); }
)js";

}  // namespace attend::render
