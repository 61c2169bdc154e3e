// The frame's end of the line to the page that embeds it. Only the parent is heard, and only on the origin it named.

import { hash } from '../ui/hosts.js';

const parentOrigin = hash.parent || location.ancestorOrigins?.[0] || '*';
const handlers = new Map();
const gates = [];

export const frameName = hash.frame ?? '';

export function on(action, handler) {
  handlers.set(action, handler);
}

// Somebody hears what the page asks before it is answered; an error that `look` gives, or promises, is the answer.
export function gate(look) {
  gates.push(look);
}

export function emit(type, payload = {}) {
  post({ kind: 'event', type, payload });
}

function post(message) {
  window.parent.postMessage({ stripeFrame: frameName, ...message }, parentOrigin);
}

window.addEventListener('message', async (event) => {
  const message = event.data;
  if (event.source !== window.parent || message?.stripeParent !== frameName) return;
  if (parentOrigin !== '*' && event.origin !== parentOrigin) return;
  const handler = handlers.get(message.action);
  if (!handler) return;
  try {
    for (const look of gates) {
      const error = await look(message.action);
      if (error) throw { error };
    }
    const value = await handler(message.payload ?? {});
    if (message.id) post({ kind: 'reply', id: message.id, value: value ?? null });
  } catch (problem) {
    const error = problem?.error ?? { type: 'api_error', message: String(problem?.message ?? problem) };
    if (message.id) post({ kind: 'reply', id: message.id, error });
  }
});

// Called once all handlers are there.
export function ready() {
  post({ kind: 'event', type: 'loaded', payload: {} });
}

// Frames of the same site on the same page, to read what a customer typed into a sibling (split card fields).
export function sibling(name) {
  for (let i = 0; i < window.parent.length; i += 1) {
    try {
      const other = window.parent[i];
      if (other !== window && other.name === name && other.stripeField) return other.stripeField;
    } catch {
      // a frame of another site
    }
  }
  return null;
}

// Height changes are told to the parent, which sizes the frame.
export function reportHeight(element) {
  const tell = () => emit('resize', { height: Math.ceil(element.getBoundingClientRect().height) });
  new ResizeObserver(tell).observe(element);
  tell();
}
