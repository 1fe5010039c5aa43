// Lesson 7: weights of one query over four keys of length d, by scores q.k / d^power.
function compute(inputs, data) {
  const [q, ...keys] = data.map(vector => vector.slice(0, inputs.width));
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const scores = keys.map(k => dot(q, k) * inputs.width ** -inputs.power);
  const highest = Math.max(...scores);
  const powers = scores.map(s => Math.exp(s - highest));
  const total = powers.reduce((sum, p) => sum + p, 0);
  const weights = powers.map(p => p / total);
  const largest = Math.max(...weights);
  const gradient = largest * (1 - largest);
  const names = keys.map((_, i) => `k${i + 1}`);
  return {
    numbers: [...weights, gradient],
    pictures: [
      {kind: 'bars', title: 'scores 分数', value_axis: 'score', names, low: -2, high: 2,
        series: [{name: 'score', values: scores}]},
      {kind: 'bars', title: 'weights 权重', value_axis: 'weight', names, low: 0, high: 1,
        series: [{name: 'weight', values: weights}]}],
    text: [`gradient of the largest weight in its score 最大权重对其分数的梯度: w (1 - w) = ${gradient.toPrecision(3)}`],
  };
}
