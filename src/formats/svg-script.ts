/**
 * What the picture does in a browser. It reads the boxes that are drawn (place, parent, the lines of their titles)
 * and only ever writes text nodes and attributes of its own, so no name can become markup. It may not contain the
 * end of a CDATA section. No style attributes: a page with a content security policy would refuse them.
 */
export const SCRIPT = `
(() => {
'use strict';
const NS = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';
const svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
const $ = id => svg.querySelector('#' + id);
const make = (tag, attributes, text) => {
  const element = document.createElementNS(NS, tag);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
};

const MARGIN = 16, INSET = 5, BETWEEN = 8, SHORTEST = 22;
const flame = $('flame'), context = $('context'), selection = context.textContent;
const elements = [...flame.querySelectorAll('.f')], count = elements.length;
const x = new Float64Array(count), w = new Float64Array(count), end = new Int32Array(count);
const parent = [], lines = [];
elements.forEach((element, i) => {
  x[i] = parseFloat(element.getAttribute('x'));
  w[i] = parseFloat(element.getAttribute('width'));
  parent[i] = Number(element.getAttribute('data-p'));
  const title = element.querySelector('title');
  lines[i] = title.textContent.split('\\n');
  title.remove();
  element.setAttribute('tabindex', i === 0 ? '0' : '-1');
  element.setAttribute('role', 'button');
  element.setAttribute('aria-label', lines[i].join(', '));
});
for (let i = count - 1; i >= 0; i--) {
  if (end[i] === 0) end[i] = i + 1;
  if (i > 0 && end[parent[i]] < end[i]) end[parent[i]] = end[i];
}

const ink = document.createElementNS(XHTML, 'canvas').getContext('2d');
if (ink) ink.font = '12px ' + getComputedStyle(svg).fontFamily;
const breadth = text => (ink ? ink.measureText(text).width : text.length * 7);
const segmenter = window.Intl && Intl.Segmenter ? new Intl.Segmenter('en') : undefined;
const characters = text => (segmenter ? Array.from(segmenter.segment(text), s => s.segment) : Array.from(text));
const cut = (text, room) => {
  if (breadth(text) <= room) return text;
  const all = characters(text.slice(0, 400));
  let low = 0, high = all.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (breadth(all.slice(0, middle).join('') + '…') <= room) low = middle; else high = middle - 1;
  }
  const head = all.slice(0, low).join('').trimEnd();
  return breadth(head) < 15 ? '' : head + '…';
};

let width = 0, zoomed = 0;
const label = (i, pixels) => {
  const element = elements[i], old = element.querySelector('text');
  if (old) old.remove();
  const room = pixels - 2 * INSET;
  if (pixels < SHORTEST) return;
  const name = lines[i][0], said = lines[i][1], colon = name.indexOf(':') + 1, taken = breadth(name);
  const text = make('text', { x: INSET, y: 15 });
  if (taken <= room) {
    if (colon > 0) text.append(make('tspan', { class: 'kind' }, name.slice(0, colon)));
    text.append(name.slice(colon));
    if (taken + BETWEEN + breadth(said) <= room) text.append(make('tspan', { class: 'said', dx: BETWEEN }, said));
  } else {
    text.append(cut(name.slice(colon), room));
  }
  element.append(text);
};
const draw = () => {
  const from = x[zoomed], span = w[zoomed], above = new Set();
  for (let i = parent[zoomed]; i >= 0; i = parent[i]) above.add(i);
  elements.forEach((element, i) => {
    const up = above.has(i), inside = i >= zoomed && i < end[zoomed];
    const pixels = up ? width : inside ? (w[i] / span) * width : 0;
    element.classList.toggle('up', up);
    element.style.display = pixels < 0.3 ? 'none' : '';
    if (pixels < 0.3) return;
    element.setAttribute('x', (up ? 0 : ((x[i] - from) / span) * 100) + '%');
    element.setAttribute('width', (up ? 100 : (w[i] / span) * 100) + '%');
    element.querySelector('rect').classList.toggle('thin', pixels < 3);
    label(i, pixels);
  });
  crumbs();
};
const crumbs = () => {
  context.textContent = '';
  if (zoomed === 0) {
    context.textContent = cut(selection, width - 300);
    return;
  }
  const path = [];
  for (let i = zoomed; i >= 0; i = parent[i]) path.unshift(i);
  const names = path.map(i => cut(lines[i][0], 240));
  while (path.length > 2 && breadth(names.join(' › ')) > width - 320) {
    names.splice(1, 1);
    path.splice(1, 1);
  }
  path.forEach((i, at) => {
    if (at > 0) context.append(parent[i] === path[at - 1] ? ' › ' : ' › … › ');
    const link = make('tspan', { class: 'link', 'data-to': i }, names[at]);
    link.addEventListener('click', () => zoom(i));
    context.append(link);
  });
};
const zoom = i => {
  zoomed = i;
  reset.style.display = i === 0 ? 'none' : '';
  tip.style.display = 'none';
  draw();
};

const reset = make('text', { id: 'reset', class: 'link', y: 30, 'text-anchor': 'end' }, 'Reset zoom');
reset.style.display = 'none';
reset.addEventListener('click', () => zoom(0));
const found = make('text', { id: 'found', class: 'quiet', y: 52, 'text-anchor': 'end' });
const holder = make('foreignObject', { y: 12, width: 180, height: 26 });
const seek = document.createElementNS(XHTML, 'input');
seek.id = 'seek';
seek.setAttribute('type', 'search');
seek.setAttribute('placeholder', 'Search  /');
seek.setAttribute('aria-label', 'Search frames');
holder.append(seek);
svg.append(reset, found, holder);
const search = () => {
  const wanted = seek.value.trim();
  let test = () => false;
  if (wanted !== '') {
    try {
      const pattern = new RegExp(wanted, 'iu');
      test = name => pattern.test(name);
    } catch {
      const plain = wanted.toLowerCase();
      test = name => name.toLowerCase().includes(plain);
    }
  }
  let hits = 0, part = 0, counted = 0;
  elements.forEach((element, i) => {
    const hit = i > 0 && test(lines[i][0]);
    element.classList.toggle('hit', hit);
    if (!hit) return;
    hits++;
    if (i < counted) return;
    part += w[i];
    counted = end[i];
  });
  svg.classList.toggle('seek', wanted !== '');
  const percent = part > 99.9999 ? '100' : part > 0 && part < 0.05 ? '< 0.1' : part.toFixed(1);
  found.textContent = wanted === '' ? '' : hits === 0 ? 'no match' : percent + ' % in ' + hits + (hits === 1 ? ' frame' : ' frames');
};
seek.addEventListener('input', search);

const tip = make('g', { id: 'tip' }), tipBox = make('rect', { rx: 4 }), tipText = make('text', {});
tip.style.display = 'none';
tip.append(tipBox, tipText);
svg.append(tip);
const wrapped = text => {
  const rows = [];
  let rest = text;
  while (rest !== '' && rows.length < 4) {
    const whole = breadth(rest) <= 420, last = rows.length === 3;
    const row = whole ? rest : cut(rest, 420);
    const kept = whole || last ? row : row.slice(0, -1);
    if (kept === '') break;
    rows.push(kept);
    if (whole || last) break;
    rest = rest.slice(kept.length).trimStart();
  }
  return rows;
};
const explain = (i, left, top) => {
  const rows = [...wrapped(lines[i][0]), ...lines[i].slice(1).map(line => cut(line, 420))];
  tipText.textContent = '';
  rows.forEach((row, at) => tipText.append(make('tspan', { x: 10, y: 19 + at * 16 }, row)));
  const wide = Math.max(...rows.map(breadth)) + 20, high = rows.length * 16 + 12;
  tipBox.setAttribute('width', wide);
  tipBox.setAttribute('height', high);
  const tall = svg.getBoundingClientRect().height;
  const y = top + 18 + high > tall ? Math.max(top - high - 8, 0) : top + 18;
  tip.setAttribute('transform', 'translate(' + Math.max(Math.min(left + 12, width + 2 * MARGIN - wide - 4), 4) + ',' + y + ')');
  tip.style.display = '';
};
const boxOf = event => {
  const element = event.target.closest ? event.target.closest('.f') : null;
  return element === null ? -1 : elements.indexOf(element);
};
flame.addEventListener('mousemove', event => {
  const i = boxOf(event), frame = svg.getBoundingClientRect();
  if (i >= 0) explain(i, event.clientX - frame.left, event.clientY - frame.top);
});
flame.addEventListener('mouseleave', () => { tip.style.display = 'none'; });
flame.addEventListener('click', event => {
  const i = boxOf(event);
  if (i >= 0) zoom(i);
});
// One box is in the order of Tab, the last that had the focus. Not on the picture itself: Chrome lets Tab stop at
// an SVG element that listens for focus.
let stop = 0;
document.addEventListener('focusin', event => {
  const i = boxOf(event);
  if (i < 0) return;
  elements[stop].setAttribute('tabindex', '-1');
  elements[i].setAttribute('tabindex', '0');
  stop = i;
});

const shown = i => elements[i].style.display !== 'none';
const beside = (i, step) => {
  const level = elements[i].getAttribute('y');
  for (let j = i + step; j >= 0 && j < count; j += step) if (shown(j) && elements[j].getAttribute('y') === level) return j;
  return -1;
};
const below = i => {
  for (let j = i + 1; j < end[i]; j++) if (shown(j)) return j;
  return -1;
};
svg.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === seek) {
    if (event.key !== 'Escape') return;
    seek.value = '';
    search();
    elements[zoomed].focus();
    return;
  }
  const i = elements.indexOf(document.activeElement);
  let to = -1;
  if (event.key === '/') seek.focus();
  else if (event.key === 'Escape') { if (seek.value !== '') { seek.value = ''; search(); } else zoom(0); }
  else if (i < 0) return;
  else if (event.key === 'Enter' || event.key === ' ') zoom(i);
  else if (event.key === 'ArrowUp') to = parent[i];
  else if (event.key === 'ArrowDown') to = below(i);
  else if (event.key === 'ArrowLeft') to = beside(i, -1);
  else if (event.key === 'ArrowRight') to = beside(i, 1);
  else return;
  event.preventDefault();
  if (to < 0) return;
  elements[to].focus();
  const frame = svg.getBoundingClientRect(), box = elements[to].getBoundingClientRect();
  explain(to, box.left - frame.left, box.bottom - frame.top - 18);
});

const fit = () => {
  const full = svg.getBoundingClientRect().width;
  width = Math.max(full - 2 * MARGIN, 100);
  flame.setAttribute('width', width);
  reset.setAttribute('x', full - MARGIN - 192);
  found.setAttribute('x', full - MARGIN);
  holder.setAttribute('x', full - MARGIN - 180);
  draw();
};
svg.classList.add('live');
svg.removeAttribute('viewBox');
svg.setAttribute('width', '100%');
fit();
window.addEventListener('resize', fit);
})();
`;
