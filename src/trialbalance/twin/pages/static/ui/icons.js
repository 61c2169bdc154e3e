// Our own small drawings: card brands as plain marks with their names, and signs of the interface.

import { svg } from './dom.js';

const mark = (label, background, foreground, draw) => () =>
  svg('svg', { viewBox: '0 0 32 20', role: 'img', 'aria-label': label, class: 'mark' },
    svg('rect', { x: 0.5, y: 0.5, width: 31, height: 19, rx: 3, fill: background, stroke: '#00000022' }),
    draw ? draw(foreground) : word(label, foreground));

const word = (label, fill, size = 7) =>
  svg('text', {
    x: 16, y: 12.6, 'text-anchor': 'middle', 'font-size': size, 'font-weight': 700, fill,
    'font-family': 'system-ui, sans-serif',
  }, label);

// Names only, in one neutral style: the networks' own logos are theirs.
const named = (label, short, size) => mark(label, '#fff', '#3a4a5e', (fill) => word(short, fill, size));

const BRANDS = {
  visa: named('Visa', 'Visa', 8.5),
  mastercard: named('Mastercard', 'MC', 8.5),
  amex: named('American Express', 'Amex', 7.5),
  discover: named('Discover', 'Disc', 7.5),
  diners: named('Diners Club', 'Diners', 6.2),
  jcb: named('JCB', 'JCB', 8),
  unionpay: named('UnionPay', 'UPay', 7),
};

export function brandMark(name) {
  const draw = BRANDS[name];
  if (draw) return draw();
  return svg('svg', { viewBox: '0 0 32 20', 'aria-hidden': 'true', class: 'mark' },
    svg('rect', { x: 0.75, y: 0.75, width: 30.5, height: 18.5, rx: 3, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }),
    svg('path', { d: 'M1 6.5h30', stroke: 'currentColor', 'stroke-width': 2.5 }),
    svg('path', { d: 'M5 13.5h8', stroke: 'currentColor', 'stroke-width': 1.5, 'stroke-linecap': 'round' }));
}

const stroke = (...paths) => () =>
  svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true', class: 'icon', fill: 'none', stroke: 'currentColor',
    'stroke-width': 1.8, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' },
  paths.map((d) => svg('path', { d })));

const ICONS = {
  alert: stroke('M10 6.5v4.2', 'M10 13.6v.1', 'M10 2.5l8 14.5H2z'),
  back: stroke('M12.5 4.5L7 10l5.5 5.5'),
  bank: stroke('M3 8l7-4.5L17 8z', 'M5 8.5v6M10 8.5v6M15 8.5v6', 'M3 16.5h14'),
  card: stroke('M2.5 5.5h15v9h-15z', 'M2.5 8.5h15'),
  check: stroke('M4.5 10.5l3.7 3.7 7.3-8'),
  chevron: stroke('M5.5 8l4.5 4.5L14.5 8'),
  close: stroke('M5.5 5.5l9 9', 'M14.5 5.5l-9 9'),
  lock: stroke('M5 9.5h10v7H5z', 'M7 9.5V7a3 3 0 0 1 6 0v2.5'),
  link: stroke('M8.2 11.8a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1 1', 'M11.8 8.2a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1-1'),
  minus: stroke('M5 10h10'),
  plus: stroke('M10 5v10', 'M5 10h10'),
  tag: stroke('M3.5 10.5v-7h7l6.5 6.5-7 7z', 'M7 7v.1'),
  truck: stroke('M2 5.5h10v8H2z', 'M12 8.5h3.5L18 11v2.5h-6', 'M5.5 15.5v.1M14.5 15.5v.1'),
};

export function icon(name) {
  return ICONS[name]();
}
