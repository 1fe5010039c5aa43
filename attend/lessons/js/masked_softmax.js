// Lesson 5: softmax over the first `length` of four scores; no key at all gives zeros.
function maskedSoftmax(scores, length) {
  const real = scores.slice(0, length);
  const largest = Math.max(...real);
  const powers = scores.map((s, i) => (i < length ? Math.exp(s - largest) : 0));
  const total = powers.reduce((sum, p) => sum + p, 0);
  return powers.map(p => (total > 0 ? p / total : 0));
}

function compute(inputs) {
  const scores = [inputs.s1, inputs.s2, inputs.s3, inputs.s4];
  const weights = maskedSoftmax(scores, inputs.length);
  return {
    numbers: weights,
    pictures: [{kind: 'map', title: 'weights 权重', rows: ['q'], columns: ['k1', 'k2', 'k3', 'k4'],
      weights: [weights], row_axis: 'query', column_axis: 'key'}],
    text: [`sum 和 = ${weights.reduce((sum, w) => sum + w, 0).toFixed(3)}`],
  };
}
