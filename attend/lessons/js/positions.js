// Lesson 12: the row of a position, of width 16, and the same row turned by a shift.
const speeds = Array.from({length: 8}, (_, j) => 10000 ** (-2 * j / 16));
const rowAt = position => speeds.flatMap(w => [Math.sin(position * w), Math.cos(position * w)]);

// Each pair (sin, cos), turned by the shift times its speed.
const turned = (row, shift) => speeds.flatMap((w, j) => {
  const [sine, cosine] = row.slice(2 * j, 2 * j + 2);
  const c = Math.cos(shift * w), s = Math.sin(shift * w);
  return [sine * c + cosine * s, cosine * c - sine * s];
});

function compute({position, shift, pair}) {
  const here = rowAt(position), there = turned(here, shift);
  const dot = here.reduce((sum, value, i) => sum + value * there[i], 0);
  const x = Array.from({length: 241}, (_, i) => i / 2);
  const wave = (name, f) => ({name, x, y: x.map(t => f(t * speeds[pair]))});
  const two = row => [row[2 * pair], row[2 * pair + 1]];
  return {
    numbers: [...here, ...there, dot],
    pictures: [
      {kind: 'map', title: 'rows of P 位置编码的行', rows: [`P[${position}]`, `P[${position + shift}]`],
        columns: here.map((_, i) => i), weights: [here, there], row_axis: 'position', column_axis: 'column',
        quantity: 'value', signed: true},
      {kind: 'curves', title: `columns ${2 * pair}, ${2 * pair + 1} 列`, x_axis: 'position', y_axis: 'value', low: -1, high: 1,
        series: [wave('sin', Math.sin), wave('cos', Math.cos),
          {name: `P[${position}]`, points: true, x: [position, position], y: two(here)},
          {name: `turned by ${shift} 旋转后`, points: true, x: [position + shift, position + shift], y: two(there)}]}],
    text: [`P[${position}] · P[${position + shift}] = ${dot.toFixed(3)}, the same at every position 与位置无关`],
  };
}
