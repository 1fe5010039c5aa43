// Lessons 3 and 4: Nadaraya-Watson kernel regression. `data` has the training x, the values of the
// true function there and a draw of noise for each, and the x to predict at; with data.losses also
// the loss with and without each point's own pair.
const kernels = [
  u => Math.exp(-u * u / 2),
  u => (Math.abs(u) < 1 ? 1 : 0),
  u => Math.max(1 - u * u, 0),
  u => Math.max(1 - Math.abs(u), 0),
  u => (Math.abs(u) < 1 ? Math.cos(Math.PI * u / 2) : 0),
];

// The weights of all keys for one x; key number `skip` counts for nothing.
function weigh(x, keys, kernel, width, skip = -1) {
  const raw = keys.map((k, i) => (i === skip ? 0 : kernel(width * (x - k))));
  const total = raw.reduce((sum, w) => sum + w, 0);
  return raw.map(w => (total > 0 ? w / total : 0));
}

const pool = (weights, values) => weights.reduce((sum, w, i) => sum + w * values[i], 0);

function meanSquare(keys, values, kernel, width, leaveOut) {
  const errors = keys.map((x, i) => pool(weigh(x, keys, kernel, width, leaveOut ? i : -1), values) - values[i]);
  return errors.reduce((sum, e) => sum + e * e, 0) / errors.length;
}

function compute(inputs, data) {
  const kernel = kernels[inputs.kernel];
  const values = data.truth.map((t, i) => t + inputs.noise * data.draws[i]);
  const rows = data.queries.map(x => weigh(x, data.keys, kernel, inputs.width));
  const fit = rows.map(weights => pool(weights, values));
  const at = x => 2 * Math.sin(x) + x ** 0.8;
  const pictures = [{kind: 'curves', title: 'fit 拟合', x_axis: 'x', y_axis: 'y', low: -1.5, high: 5.5,
    series: [{name: 'fit 拟合', x: data.queries, y: fit}, {name: 'truth 真实函数', x: data.queries, y: data.queries.map(at)},
      {name: 'pairs 训练数据', x: data.keys, y: values, points: true}]}];
  if (!data.losses) {
    pictures.push({kind: 'map', title: 'weights 权重', rows: data.queries.map(x => x.toFixed(1)),
      columns: data.keys.map(x => x.toFixed(2)), weights: rows, row_axis: 'x to predict at', column_axis: 'x of the pair',
      size: Math.max(...rows.flat())});
    return {numbers: fit, pictures};
  }
  const widths = Array.from({length: 24}, (_, i) => 0.25 * 1.3 ** i);
  const losses = leave => widths.map(w => meanSquare(data.keys, values, kernel, w, leave));
  const without = meanSquare(data.keys, values, kernel, inputs.width, true);
  const within = meanSquare(data.keys, values, kernel, inputs.width, false);
  pictures.push({kind: 'curves', title: 'loss at each width 每个宽度上的损失', x_axis: 'log10 width', y_axis: 'mean square error', low: 0,
    series: [{name: 'own pair left out 去掉自己', x: widths.map(Math.log10), y: losses(true)},
      {name: 'own pair kept 保留自己', x: widths.map(Math.log10), y: losses(false)},
      {name: 'here 当前', x: [Math.log10(inputs.width), Math.log10(inputs.width)], y: [without, within], points: true}]});
  return {numbers: [...fit, without, within], pictures,
    text: [`own pair left out 去掉自己: ${without.toFixed(3)}    own pair kept 保留自己: ${within.toFixed(3)}`]};
}
