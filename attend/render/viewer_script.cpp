#include "attend/render/viewer_assets.h"

namespace attend::render {

const char* const kViewerScript = R"js(
'use strict';
const map = attendData('attend-map');
const settings = attendData('attend-settings');
const $ = id => document.getElementById(id);
const darkQuery = matchMedia('(prefers-color-scheme: dark)');

// ---- panels: those of the file, and a mean where a layer has several heads
const nameOf = p => p.title || [p.kind, p.layer === null ? '' : 'layer ' + (p.layer + 1),
  p.head === null ? '' : 'head ' + (p.head + 1)].filter(x => x).join(', ') || 'weights';
const groupOf = p => JSON.stringify([p.kind, p.layer, p.rows, p.columns]);
function meanOf(heads) {
  const weights = heads[0].weights.map((row, r) => row.map((_, c) =>
    heads.some(h => h.weights[r][c] === null) ? null :
    heads.reduce((sum, h) => sum + h.weights[r][c], 0) / heads.length));
  const mean = {...heads[0], title: '', head: null, weights};
  mean.title = (nameOf(mean) === 'weights' ? '' : nameOf(mean) + ', ') + 'mean over ' +
    heads.length + ' heads';
  return mean;
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
const panels = withMeans(map.panels);

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
const format = w => w === null ? 'not a number' : w === 0 ? '0.000'
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
  const cell = Math.max(n > 1000 ? 1 : n > 300 ? 4 : 12, Math.min(36, Math.floor(640 / n)));
  const font = Math.max(9, Math.min(13, Math.floor(cell * .75)));
  const measure = document.createElement('canvas').getContext('2d');
  measure.font = font + 'px ' + getComputedStyle(document.body).fontFamily;
  const widths = labels => labels.map(label => measure.measureText(label).width);
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
    context.fillText(p.rows.length ? 'no columns' : 'no rows', 4, 12);
  }
  fitCanvas($('heat'), layout.width, layout.height);
  $('heat').setAttribute('aria-label', nameOf(p) + ', ' + p.rows.length + ' rows by ' +
    p.columns.length + ' columns; move with the arrow keys');
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
  let text = 'Point at a cell or a word, or use the arrow keys on the picture.';
  if (row >= 0 && column >= 0)
    text = p.rows[row] + ' → ' + p.columns[column] + ': ' + format(p.weights[row][column]);
  else if (row >= 0)
    text = p.rows[row] + ' attends to ' + top(p.weights[row])
      .map(([w, c]) => p.columns[c] + ' ' + format(w)).join(', ');
  else if (column >= 0)
    text = p.columns[column] + ' is attended by ' + top(p.weights.map(weights => weights[column]))
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
  $('scale-note').textContent = scale.unit ? 'weight' : 'weight; the colours span the values of this map';
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
    const name = [p.kind, p.layer === null ? '' : 'layer ' + (p.layer + 1)].filter(x => x).join(', ');
    if (!lines.has(name)) lines.set(name, []);
    lines.get(name).push(i);
  });
  return lines;
}
function shortName(p, i) {
  if (p.head !== null) return 'head ' + (p.head + 1);
  if (/(^|, )mean over \d+ heads$/.test(p.title)) return 'mean';
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
  button.onclick = () => show(i);
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

// ---- pointing: a cell, a row's label or a column's label
function hit(event) {
  const p = panels[panel];
  const x = event.offsetX - layout.left, y = event.offsetY - layout.top;
  const r = Math.floor(y / layout.cell);
  // Slanted labels: the column is where the 45 degree line through the pointer meets the matrix.
  const c = Math.floor((y < 0 ? x + y : x) / layout.cell);
  return [r >= 0 && r < p.rows.length ? r : -1, c >= 0 && c < p.columns.length && x + (y < 0 ? y : 0) >= 0 ? c : -1];
}
function follow(box, apply) {
  const pick = event => {
    const word = event.target.closest('.word');
    if (word) apply(Number(word.dataset.index));
  };
  box.addEventListener('pointerover', pick);
  box.addEventListener('focusin', pick);
  box.addEventListener('click', pick);
}

function start() {
  $('viewer').hidden = false;
  if (!panels.length) {
    $('viewer').textContent = 'Nothing to draw: this map has no panels.';
    return;
  }
  $('row-name').textContent = map.row_axis;
  $('column-name').textContent = map.column_axis;
  $('scaling').value = settings.scaling;
  $('panel').replaceChildren(...panels.map((p, i) => new Option(nameOf(p), i)));
  if (panels.length < 2) $('previous').hidden = $('next').hidden = true;
  $('panel').onchange = event => show(Number(event.target.value));
  $('previous').onclick = () => show(panel - 1);
  $('next').onclick = () => show(panel + 1);
  $('scaling').onchange = redraw;
  $('numbers').onchange = draw;
  $('table-box').ontoggle = fillTable;
  const heat = $('heat');
  heat.onpointermove = event => choose(...hit(event));
  heat.onpointerleave = () => choose(-1, -1);
  heat.onclick = event => choose(...hit(event));
  heat.onkeydown = event => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (event.key === 'Escape') choose(-1, -1);
    if (!step) return;
    event.preventDefault();
    const p = panels[panel];
    const clamp = (v, n) => Math.max(0, Math.min(n - 1, v));
    if (p.rows.length && p.columns.length)
      choose(row < 0 ? 0 : clamp(row + step[0], p.rows.length),
        column < 0 ? 0 : clamp(column + step[1], p.columns.length));
  };
  follow($('rows'), r => choose(r, -1));
  follow($('columns'), c => choose(-1, c));
  $('download').href = URL.createObjectURL(new Blob([JSON.stringify(map, null, 1)],
    {type: 'application/json'}));
  darkQuery.addEventListener('change', redraw);
  redraw();
  show(0);
}
start();
)js";

}  // namespace attend::render
