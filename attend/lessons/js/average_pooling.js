// Lesson 2: a weighted mean of values 0, 1, 2, ..., of which the last and its weight are moved.
function compute(inputs) {
  const count = inputs.pairs;
  const values = Array.from({length: count}, (_, i) => i);
  const weights = Array(count).fill(1);
  values[count - 1] = inputs.value;
  weights[count - 1] += inputs.extra;
  const total = weights.reduce((sum, w) => sum + w, 0);
  const shares = weights.map(w => w / total);
  const mean = shares.reduce((sum, w, i) => sum + w * values[i], 0);
  const names = values.map((v, i) => `v${i + 1} = ${v}`);
  return {
    numbers: [...shares, mean],
    pictures: [{kind: 'bars', title: 'weights 权重', value_axis: 'weight', names, low: 0, high: 0.5,
      series: [{name: 'weight', values: shares}]}],
    text: [`weighted mean 加权平均 = ${mean.toFixed(3)}`],
  };
}
