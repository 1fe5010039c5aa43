#include "attend/render/viewer_assets.h"

namespace attend::render {

const char* const kViewerMarkup = R"html(
<div id="viewer" hidden>
  <div class="bar">
    <label><span data-zh="显示">Show</span> <select id="panel"></select></label>
    <button id="previous" aria-label="previous panel">←</button>
    <button id="next" aria-label="next panel">→</button>
    <label><span data-zh="颜色">Colours</span> <select id="scaling">
      <option value="unit" data-zh="从 0 到 1">from 0 to 1</option>
      <option value="maximum" data-zh="到最大权重">to the largest weight</option>
    </select></label>
    <label><input type="checkbox" id="numbers" checked> <span data-zh="数字">numbers</span></label>
    <a id="download" href="#" download="attention.json" data-zh="下载 JSON">Download the JSON</a>
  </div>
  <div class="stage">
    <div class="picture">
      <p id="reading" class="reading" role="status" aria-live="polite"></p>
      <div class="scroll"><canvas id="heat" tabindex="0" role="img"></canvas></div>
      <div class="scale"><span id="low"></span><canvas id="ramp" height="14"></canvas>
        <span id="high"></span><span id="scale-note" class="dim"></span></div>
    </div>
    <div id="overview" class="overview" role="group" aria-label="all panels"></div>
  </div>
  <div class="strip"><span id="column-name" class="axis"></span><div id="columns"></div></div>
  <div class="strip"><span id="row-name" class="axis"></span><div id="rows"></div></div>
  <details id="table-box"><summary data-zh="数值表">Values as a table</summary>
    <div id="table" class="scroll"></div></details>
</div>
)html";

const char* const kViewerStyle = R"css(
.bar { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-bottom: .8rem; }
.stage { display: flex; flex-wrap: wrap; gap: .4rem 2rem; align-items: flex-start; }
.picture { flex: 0 1 auto; min-width: 0; max-width: 100%; }
.overview { flex: 1 1 19rem; margin-top: 2rem; max-height: 44rem; overflow-y: auto; }
.overview > div { display: flex; align-items: center; margin-bottom: .4rem; }
.overview > div > div { display: flex; flex-wrap: wrap; gap: .4rem; }
.overview button { padding: .25rem; line-height: 1.2; font-size: .72rem; color: var(--dim);
  text-align: center; }
.overview button[aria-pressed=true] { border-color: var(--accent); color: var(--ink);
  box-shadow: inset 0 0 0 1px var(--accent); }
.overview canvas { display: block; margin: 0 auto .15rem; width: 64px; height: 64px;
  image-rendering: pixelated; }
.strip { display: flex; margin: .2rem 0; line-height: 1.9; max-height: 8rem; overflow-y: auto; }
.axis, .dim { color: var(--dim); font-size: .85rem; }
.axis { flex: 0 0 7.5rem; padding-top: .2rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) { .axis { flex-basis: 4.5rem; } }
.word { border: 1px solid var(--rule); border-radius: .25rem; padding: .05rem .35rem;
  margin-right: .15rem; cursor: pointer; background: none; color: inherit; white-space: pre-wrap; }
.word.chosen { outline: 2px solid var(--accent); outline-offset: -2px; }
.reading { min-height: 1.6em; margin: 0 0 .4rem; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
#table { max-height: 30rem; }
.scale { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .8rem 0; font-size: .85rem; }
#ramp { width: 240px; height: 14px; border: 1px solid var(--rule); }
#table table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; }
#table th, #table td { border: 1px solid var(--rule); padding: .1rem .4rem; text-align: right;
  white-space: nowrap; }
summary { cursor: pointer; }
)css";

}  // namespace attend::render
