// node page_in_node.js PAGE: runs a lesson's page with a stand-in for the browser, moves every
// slider to its ends, plays every animation, and complains of what a reader would see broken.
'use strict';
const fs = require('fs');
const vm = require('vm');
const html = fs.readFileSync(process.argv[2], 'utf8');

const data = {};
for (const [, id, text] of html.matchAll(/<script type="application\/json" id="([^"]*)">([^]*?)<\/script>/g))
  data[id] = text;

const elements = [];
class Element {
  constructor(tag) { Object.assign(this, {tag, children: [], listeners: {}, attributes: {}, dataset: {}, value: 0, textContent: '', innerHTML: ''}); elements.push(this); }
  append(child) { this.children.push(child); }
  setAttribute(name, value) { this.attributes[name] = value; if (name === 'value') this.value = value; }
  addEventListener(name, listener) { this.listeners[name] = listener; }
}
const views = {};
const problems = [];
const check = when => {
  for (const element of elements) {
    if (element.attributes.class !== 'pictures') continue;
    if (!element.innerHTML.includes('<svg')) problems.push(`${when}: nothing is drawn`);
    for (const word of ['NaN', 'undefined', 'Infinity', '[object'])
      if (element.innerHTML.includes(word)) problems.push(`${when}: the drawing says ${word}`);
  }
};
const body = new Element('body');
const sandbox = {
  document: {
    body,
    documentElement: new Element('html'),
    addEventListener: () => {},
    dispatchEvent: () => true,
    getElementById: id => (id in data ? {textContent: data[id]} : (views[id] ??= new Element('div'))),
    createElement: tag => new Element(tag),
    querySelectorAll: () => [],
  },
  matchMedia: () => ({matches: process.argv[3] === 'dark', addEventListener: () => {}}),
  setInterval: tick => { for (let i = 0; i < 200; ++i) tick(); return 1; },
  clearInterval: () => {},
  Event: class {},
  console,
};
sandbox.window = sandbox;
vm.createContext(sandbox);
for (const [, code] of html.matchAll(/<script>([^]*?)<\/script>/g)) vm.runInContext(code, sandbox);
check('at first');
for (const element of [...elements]) {
  if (element.listeners.click) element.listeners.click(), check('played');
  if (!element.listeners.input) continue;
  const {min, max} = element.attributes;
  const ends = element.tag === 'select' ? element.children.map((_, i) => i) : [min, max];
  for (const end of ends) {
    const before = element.value;
    element.value = end;
    element.listeners.input();
    check(`a control at ${end}`);
    element.value = before;
    element.listeners.input();
  }
}
console.log(problems.length ? [...new Set(problems)].join('\n') : 'sound');
