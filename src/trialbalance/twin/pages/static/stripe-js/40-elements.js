
// --- a group of elements ----------------------------------------------------------------------------------------

const SPECS = {
  card: { document: 'elements-inner-card', title: 'Secure card payment input frame', height: 20 },
};
const CARD_PARTS = ['card', 'cardNumber'];

class Elements {
  constructor(stripe, options) {
    this._stripe = stripe;
    this._options = options;
    this._elements = [];
  }

  _data() {
    return this._stripe._data;
  }

  _shared() {
    return { locale: this._options.locale || this._stripe._locale || 'auto', appearance: this._options.appearance || {} };
  }

  create(type, options = {}) {
    const spec = SPECS[type];
    if (!spec) {
      misuse(`A valid Element name must be provided. Valid Elements are: ${Object.keys(SPECS).join(', ')}; you passed: ${describe(type)}.`);
    }
    if (options !== null && !isObject(options)) wrong('elements.create()', 'options should be an object', options);
    if (this.getElement(type)) {
      misuse(`Can only create one Element of type ${type} through elements.create().`);
    }
    const Kind = spec.kind || Element;
    const element = new Kind(this, type, spec, options || {});
    this._elements.push(element);
    return element;
  }

  getElement(type) {
    const found = this._elements.find((element) => element._type === type || (typeof type === 'function' && element._type === type.__elementType));
    return found || null;
  }

  update(options) {
    Object.assign(this._options, options);
    for (const element of this._elements) if (element._frame) element._frame.send('shared', this._shared());
  }

  _forget(element) {
    this._elements = this._elements.filter((kept) => kept !== element);
  }
}

const isElement = (value) => value instanceof Element;
