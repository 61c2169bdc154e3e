// Seconds of the twin's clock, which need not be the browser's.

import { note } from './hosts.js';

const loaded = performance.now();
let start = note.now ?? Math.floor(Date.now() / 1000);
let since = loaded;

export function now() {
  return start + Math.floor((performance.now() - since) / 1000);
}

// A page that learns the time later (from an answer of the API) sets it here.
export function setNow(seconds) {
  start = seconds;
  since = performance.now();
}
