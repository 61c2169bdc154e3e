// Page events for the journal: what happened, never what was typed into a card field.

import { hosts } from './hosts.js';

export class Beacon {
  constructor(page, session = null) {
    this.page = page;
    this.session = session;
    this.referrer = originOf(document.referrer);
    this.embedder = window.top === window ? null : (location.ancestorOrigins?.[0] ?? this.referrer);
    this.pending = Promise.resolve();
  }

  // Resolves when the event has arrived or half a second is over, so that a page may leave afterwards.
  send(event, detail = {}, session = this.session) {
    const body = JSON.stringify([
      { page: this.page, event, session, referrer: this.referrer, embedder: this.embedder, detail },
    ]);
    const sent = this.pending.then(() =>
      fetch(`${hosts.beacon}/b`, { method: 'POST', body, keepalive: true, credentials: 'omit' }).catch(() => {}),
    );
    this.pending = sent;
    return Promise.race([sent, new Promise((resolve) => setTimeout(resolve, 500))]);
  }

  // Which fields were filled in, by name; what was typed stays in the page.
  watch(element) {
    element.addEventListener('change', ({ target }) => target.name && this.send('edit', { field: target.name }));
  }
}

export function originOf(url) {
  try {
    return url ? new URL(url).origin : null;
  } catch {
    return null;
  }
}
