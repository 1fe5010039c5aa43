// Lesson 6: what the scores of n queries and n keys cost, by three scores.
function compute(inputs) {
  const {length: n, query, key, hidden} = inputs;
  const costs = [
    {name: 'additive 加性', parameters: hidden * (query + key + 1),
      products: n * hidden * (query + key) + n * n * hidden, tanh: n * n * hidden},
    {name: 'bilinear 双线性', parameters: query * key,
      products: n * query * key + n * n * query, tanh: 0},
    {name: 'dot 点积 (Dk = Dq)', parameters: 0, products: n * n * query, tanh: 0},
  ];
  const bars = (title, part) => ({kind: 'bars', title, value_axis: part, names: costs.map(c => c.name),
    series: [{name: part, values: costs.map(c => c[part])}]});
  return {
    numbers: costs.flatMap(c => [c.parameters, c.products, c.tanh]),
    pictures: [bars('parameters 参数', 'parameters'), bars('products 乘法', 'products'),
      bars('tanh', 'tanh')],
  };
}
