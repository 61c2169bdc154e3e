
// --- elements ---------------------------------------------------------------------------------------------------

const CLASSES = {
  base: 'StripeElement',
  complete: 'StripeElement--complete',
  empty: 'StripeElement--empty',
  focus: 'StripeElement--focus',
  invalid: 'StripeElement--invalid',
  webkitAutofill: 'StripeElement--webkit-autofill',
};

// What every element can do: mount, events, focus, update, destroy. Kinds of elements extend it.
class Element {
  constructor(group, type, spec, options) {
    this._group = group;
    this._type = type;
    this._spec = spec;
    this._options = { ...options };
    this._handlers = {};
    this._classes = { ...CLASSES, ...own(options.classes) };
    this._state = { complete: false, empty: true, focus: false, invalid: false };
    this._container = null;
    this._destroyed = false;
    this._ready = false;
    this._frame = null;
  }

  get _componentName() {
    return this._type;
  }

  _build() {
    const { _group: group, _spec: spec } = this;
    this._frame = new Frame({
      document: spec.document,
      frameName: `__privateStripeFrame${randomDigits()}`,
      title: spec.title,
      data: { ...group._data(), componentName: this._type },
    });
    const frame = this._frame;
    frame.style({ height: `${spec.height || 1}px` });
    frame.greet('init', this._initial());
    frame.on('loaded', () => {
      this._loads = (this._loads || 0) + 1;
    });
    frame.on('resize', ({ height }) => frame.style({ height: `${height}px` }));
    frame.on('focus', (payload) => this._focused(true, payload));
    frame.on('blur', (payload) => this._focused(false, payload));
    frame.on('change', (payload) => this._changed(payload));
    frame.on('escape', () => this._emit('escape', { elementType: this._type }));
    frame.on('submit', () => this._submitForm());
    frame.on('ready', () => this._becameReady());
    frame.on('loaderror', (payload) => this._emit('loaderror', { elementType: this._type, ...payload }));
    for (const type of spec.events || []) frame.on(type, (payload) => this._emit(type, { elementType: this._type, ...payload }));
  }

  _initial() {
    return { options: plainOptions(this._options), type: this._type, ...this._group._shared() };
  }

  _becameReady() {
    this._ready = true;
    this._emit('ready', { elementType: this._type });
  }

  _focused(focus, payload) {
    this._state.focus = focus;
    this._dress();
    this._emit(focus ? 'focus' : 'blur', { elementType: this._type, ...payload });
  }

  _changed(payload) {
    this._last = payload;
    this._state = { ...this._state, complete: payload.complete, empty: payload.empty, invalid: Boolean(payload.error) };
    this._dress();
    this._emit('change', payload);
  }

  _dress() {
    if (!this._container) return;
    const on = { base: true, ...this._state };
    for (const [state, names] of Object.entries(this._classes)) {
      for (const name of String(names).split(/\s+/).filter(Boolean)) this._container.classList.toggle(name, Boolean(on[state]));
    }
  }

  _emit(type, payload) {
    for (const handler of [...(this._handlers[type] || [])]) handler(payload);
  }

  _alive(method) {
    if (this._destroyed) {
      misuse(
        `This Element has already been destroyed. Please create a new one before calling ${method}().`,
      );
    }
  }

  // Pressing Enter in a field submits the form around the element, as a field of the page itself would.
  _submitForm() {
    const form = this._container && this._container.closest('form');
    if (!form) return;
    const button = form.querySelector('button:not([type]), button[type="submit"], input[type="submit"]');
    if (button) button.click();
    else if (form.requestSubmit) form.requestSubmit();
  }

  on(type, handler) {
    if (typeof type !== 'string') wrong('element.on()', 'event should be a string', type);
    if (typeof handler !== 'function') wrong('element.on()', 'handler should be a function', handler);
    (this._handlers[type] = this._handlers[type] || []).push(handler);
    if (type === 'ready' && this._ready) Promise.resolve().then(() => handler({ elementType: this._type }));
    return this;
  }

  once(type, handler) {
    const wrapped = (payload) => {
      this.off(type, wrapped);
      handler(payload);
    };
    wrapped.original = handler;
    return this.on(type, wrapped);
  }

  off(type, handler) {
    this._handlers[type] = (this._handlers[type] || []).filter((h) => handler && h !== handler && h.original !== handler);
    return this;
  }

  addEventListener(type, handler) {
    return this.on(type, handler);
  }

  removeEventListener(type, handler) {
    return this.off(type, handler);
  }

  mount(target) {
    this._alive('mount');
    let container = target;
    if (!target) misuse('Missing argument. Make sure to call mount() with a valid DOM element or selector.');
    if (typeof target === 'string') {
      const found = document.querySelectorAll(target);
      if (found.length > 1) console.warn(`The selector you specified (${target}) applies to ${found.length} DOM elements; the first is used.`);
      container = found[0];
      if (!container) {
        misuse(`The selector you specified (${target}) applies to no DOM elements that are currently on the page. Make sure the element exists on the page before calling mount().`);
      }
    } else if (!target.appendChild) {
      misuse('Invalid DOM element. Make sure to call mount() with a valid DOM element or selector.');
    }
    if (container.nodeName === 'INPUT') misuse('Stripe Element cannot be mounted in an <input> element; use a <div> instead.');
    if (this._container === container && this._frame && this._frame.iframe.isConnected) return this;
    if (container.firstChild && Array.from(container.childNodes).some((node) => node.nodeType === 1 || node.textContent.trim())) {
      console.warn('This Element will be mounted to a DOM element that contains child nodes.');
    }
    this.unmount();
    if (!this._frame) this._build();
    this._container = container;
    const holder = document.createElement('div');
    holder.className = '__PrivateStripeElement';
    for (const [name, value] of Object.entries({ margin: '0px', padding: '0px', border: 'none', display: 'block', background: 'transparent', position: 'relative', opacity: '1', clear: 'both' })) {
      holder.style.setProperty(name, value, 'important');
    }
    holder.appendChild(this._frame.iframe);
    container.replaceChildren(holder);
    this._holder = holder;
    this._label = (event) => this._labelClicked(event);
    document.addEventListener('click', this._label);
    this._dress();
    return this;
  }

  // A click on the page's own <label for="…"> of the container focuses the element.
  _labelClicked(event) {
    const label = event.target && event.target.closest && event.target.closest('label');
    if (label && this._container && label.htmlFor && label.htmlFor === this._container.id) this._frame.send('focus', {});
  }

  unmount() {
    this._alive('unmount');
    if (!this._container) return this;
    document.removeEventListener('click', this._label);
    for (const names of Object.values(this._classes)) {
      for (const name of String(names).split(/\s+/).filter(Boolean)) this._container.classList.remove(name);
    }
    this._frame.detach();
    if (this._holder && this._holder.parentNode) this._holder.parentNode.removeChild(this._holder);
    this._container = null;
    this._ready = false;
    return this;
  }

  destroy() {
    this._alive('destroy');
    this.unmount();
    this._destroyed = true;
    if (this._frame) this._frame.destroy();
    this._group._forget(this);
    return this;
  }

  update(options) {
    this._alive('update');
    if (!isObject(options)) wrong('element.update()', 'options should be an object', options);
    Object.assign(this._options, options);
    if (this._frame) {
      this._frame.first = { action: 'init', payload: this._initial() };
      this._frame.send('update', { options: plainOptions(options) });
    }
    return this;
  }

  focus() {
    this._mounted('focus');
    this._frame.iframe.focus();
    this._frame.send('focus', {});
    return this;
  }

  blur() {
    this._mounted('blur');
    this._frame.send('blur', {});
    this._frame.iframe.blur();
    return this;
  }

  clear() {
    this._mounted('clear');
    this._frame.send('clear', {});
    return this;
  }

  _mounted(method) {
    this._alive(method);
    if (!this._container) misuse(`This Element must be mounted before calling ${method}().`);
  }
}

// Functions cannot cross into a frame.
function plainOptions(options) {
  return JSON.parse(JSON.stringify(options, (key, value) => (typeof value === 'function' ? undefined : value)));
}
