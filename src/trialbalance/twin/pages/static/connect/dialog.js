// What lies over the page: a dialog or a drawer that holds the focus until it is closed.

import { h, replace } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { box, emit } from './frame.js';

const LEAVING = 120; // milliseconds, as in connect.css

export function dialog(name) {
  const heading = h('h2', { class: 'heading', id: 'dialog-title', tabindex: -1 }, name);
  // The page takes the frame away at the word: not before the click that closes has been answered to the end.
  let leaving = false;
  const close = () => {
    if (leaving) return;
    leaving = true;
    box.classList.add('leaving');
    setTimeout(() => emit('close', {}), LEAVING);
  };
  const content = h('div', { class: 'content' });
  const panel = h('div', { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'dialog-title' },
    h('header', {}, heading, h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close', onclick: close }, icon('close'))), content);
  const edge = (end) => h('span', { tabindex: 0, class: 'edge', 'aria-hidden': 'true', onfocus: () => {
    const reachable = [...panel.querySelectorAll('button:not(:disabled), input, select, textarea, a[href]')];
    reachable.at(end)?.focus();
  } });
  replace(box, h('div', { class: 'backdrop', onclick: (event) => event.target === event.currentTarget && close() }, edge(-1), panel, edge(0)));
  panel.addEventListener('keydown', (event) => event.key === 'Escape' && close());
  return {
    title(text) {
      replace(heading, text);
    },
    show(...children) {
      replace(content, ...children);
      heading.focus();
    },
    close,
  };
}
