
// --- frames -----------------------------------------------------------------------------------------------------
// A frame of Stripe's own site and the line to it. Messages count only when they come from the frame's own window on
// the site's own origin; they are addressed to that origin only.

class Frame {
  constructor({ document: name, frameName, title, data, hidden = false, url }) {
    this.name = frameName;
    this.origin = url ? new URL(url).origin : JS_ORIGIN;
    this.handlers = {};
    this.waiting = new Map();
    this.queue = [];
    this.loaded = false;
    this.next = 1;
    this.gone = false;
    const note = new URLSearchParams();
    for (const [key, value] of Object.entries({ ...data, frame: frameName, parent: window.location.origin })) {
      if (value !== undefined && value !== null) note.set(key, value);
    }
    const iframe = document.createElement('iframe');
    iframe.name = frameName;
    iframe.title = title || '';
    iframe.setAttribute('frameborder', '0');
    iframe.setAttribute('allowtransparency', 'true');
    iframe.setAttribute('scrolling', 'no');
    iframe.setAttribute('role', 'presentation');
    iframe.setAttribute('allow', 'payment *; clipboard-write');
    if (title) iframe.removeAttribute('role');
    iframe.src = `${url || frameUrl(name)}#${note}`;
    this.iframe = iframe;
    this.style(
      hidden
        ? { border: 'none', margin: '0', padding: '0', width: '1px', 'min-width': '100%', overflow: 'hidden', display: 'block',
          visibility: 'hidden', position: 'fixed', height: '1px', 'pointer-events': 'none', 'user-select': 'none' }
        : { border: 'none', margin: '0', padding: '0', width: '1px', 'min-width': '100%', overflow: 'hidden', display: 'block',
          'user-select': 'none', transform: 'translate(0)', 'color-scheme': 'light only' },
    );
    if (hidden) {
      iframe.setAttribute('aria-hidden', 'true');
      iframe.tabIndex = -1;
    }
    this.listener = (event) => this.receive(event);
    window.addEventListener('message', this.listener);
  }

  style(values) {
    for (const [name, value] of Object.entries(values)) this.iframe.style.setProperty(name, value, 'important');
  }

  on(type, handler) {
    (this.handlers[type] = this.handlers[type] || []).push(handler);
    return this;
  }

  receive(event) {
    const message = event.data;
    if (!message || message.stripeFrame !== this.name || event.source !== this.iframe.contentWindow) return;
    if (event.origin !== this.origin) return;
    if (message.kind === 'reply') {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (!waiting) return;
      if (message.error) waiting.reject({ error: message.error });
      else waiting.resolve(message.value);
      return;
    }
    if (message.type === 'loaded') this.flush();
    for (const handler of this.handlers[message.type] || []) handler(message.payload);
  }

  flush() {
    this.loaded = true;
    const queue = this.queue;
    this.queue = [];
    if (this.first) this.post(this.first);
    queue.forEach((message) => this.post(message));
  }

  post(message) {
    this.iframe.contentWindow.postMessage({ stripeParent: this.name, ...message }, this.origin);
  }

  // What the frame is told first, also when it is loaded again (moved in the document).
  greet(action, payload) {
    this.first = { action, payload };
    if (this.loaded) this.post(this.first);
  }

  send(action, payload) {
    const message = { action, payload };
    if (this.loaded) this.post(message);
    else this.queue.push(message);
  }

  ask(action, payload) {
    return new Promise((resolve, reject) => {
      if (this.gone) {
        reject({ error: { type: 'api_error', message: 'The frame is gone.' } });
        return;
      }
      const id = this.next++;
      this.waiting.set(id, { resolve, reject });
      const message = { action, payload, id };
      if (this.loaded) this.post(message);
      else this.queue.push(message);
    });
  }

  // The frame left the document: it will load anew when it is put back.
  detach() {
    this.loaded = false;
    if (this.iframe.parentNode) this.iframe.parentNode.removeChild(this.iframe);
  }

  destroy() {
    this.gone = true;
    this.detach();
    window.removeEventListener('message', this.listener);
    this.waiting.forEach(({ reject }) => reject({ error: { type: 'api_error', message: 'The element was destroyed.' } }));
    this.waiting.clear();
  }
}

const whenBody = (action) => {
  if (document.body) action();
  else document.addEventListener('DOMContentLoaded', action, { once: true });
};

// The invisible frame of each Stripe() object that calls the API.
class Controller {
  constructor(data) {
    this.frame = new Frame({
      document: 'controller-with-preconnect',
      frameName: `__privateStripeController${randomDigits()}`,
      data,
      hidden: true,
    });
    whenBody(() => document.body.appendChild(this.frame.iframe));
  }

  // Resolves to the object; rejects with `{error}`.
  api(method, path, params) {
    return this.frame.ask('api', { method, path, params });
  }

  event(event, detail) {
    return this.frame.ask('event', { event, detail });
  }
}
