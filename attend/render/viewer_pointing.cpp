#include "attend/render/viewer_assets.h"

namespace attend::render {

const char* const kViewerPointing = R"js(
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

// The names of all that is not drawn; `drawOverview` and `draw` say their own.
function speak() {
  for (const element of document.querySelectorAll('#viewer [data-zh]')) {
    element.dataset.en ||= element.textContent;
    element.textContent = say(element.dataset.en, element.dataset.zh);
  }
  $('panel').replaceChildren(...panels.map((p, i) => new Option(nameOf(p), i)));
  $('panel').value = panel;
}

function start() {
  $('viewer').hidden = false;
  if (!panels.length) {
    $('viewer').textContent =
      say('Nothing to draw: this map has no panels.', '没有可画的：这张图没有面板。');
    return;
  }
  $('row-name').textContent = map.row_axis;
  $('column-name').textContent = map.column_axis;
  $('scaling').value = settings.scaling;
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
  addEventListener('resize', draw);
  document.addEventListener('attend-language', () => { speak(); redraw(); read(); fillTable(); });
  speak();
  redraw();
  show(0);
}
start();
)js";

}  // namespace attend::render
