// A merchant's own words, with links and bold letters written as in Markdown.

import { h } from './dom.js';

const PIECES = /\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|\*\*([^*]+)\*\*/g;

export function rich(text) {
  const out = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    out.push(text.slice(end, match.index));
    out.push(match[3] ? h('b', {}, match[3]) : h('a', { href: match[2], target: '_blank', rel: 'noopener' }, match[1]));
    end = match.index + match[0].length;
  }
  out.push(text.slice(end));
  return out.filter(Boolean);
}
