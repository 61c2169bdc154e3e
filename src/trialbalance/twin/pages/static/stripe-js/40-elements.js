
// --- a group of elements ----------------------------------------------------------------------------------------

const PART_TITLES = {
  cardNumber: 'Secure card number input frame',
  cardExpiry: 'Secure expiration date input frame',
  cardCvc: 'Secure CVC input frame',
};
const part = (title) => ({ document: 'elements-inner-card-part', title, height: 20 });
const SPECS = {
  card: { document: 'elements-inner-card', title: 'Secure card payment input frame', height: 20 },
  cardNumber: part(PART_TITLES.cardNumber),
  cardExpiry: part(PART_TITLES.cardExpiry),
  cardCvc: part(PART_TITLES.cardCvc),
  iban: { document: 'elements-inner-iban', title: 'Secure IBAN input frame', height: 20 },
  auBankAccount: { document: 'elements-inner-au-bank-account', title: 'Secure BECS Debit payment input frame', height: 20 },
  idealBank: { document: 'elements-inner-ideal-bank', title: 'Secure bank input frame', height: 20 },
  epsBank: { document: 'elements-inner-ideal-bank', title: 'Secure bank input frame', height: 20 },
  p24Bank: { document: 'elements-inner-ideal-bank', title: 'Secure bank input frame', height: 20 },
  fpxBank: { document: 'elements-inner-ideal-bank', title: 'Secure bank input frame', height: 20 },
  payment: { document: 'elements-inner-payment', title: 'Secure payment input frame', height: 180, modern: true, events: ['loaderstart', 'savedpaymentmethodremove', 'savedpaymentmethodupdate', 'availablepaymentmethodschange'] },
  address: { document: 'elements-inner-address', title: 'Secure address input frame', height: 200, modern: true, events: ['loaderstart'] },
  linkAuthentication: { document: 'elements-inner-link-authentication', title: 'Secure email input frame', height: 70, modern: true, events: ['loaderstart'] },
  expressCheckout: { document: 'elements-inner-express-checkout', title: 'Secure payment button frame', height: 48, modern: true },
  currencySelector: { document: 'elements-inner-small', title: 'Secure currency selector', height: 44, modern: true },
  taxId: { document: 'elements-inner-tax-id', title: 'Secure tax ID input frame', height: 80, modern: true, events: ['loaderstart'] },
  contactDetails: { document: 'elements-inner-link-authentication', title: 'Secure contact details frame', height: 70, modern: true, events: ['loaderstart'] },
  paymentMethodMessaging: { document: 'elements-inner-messaging', title: 'Secure payment method messaging frame', height: 40, modern: true },
  paymentRequestButton: { document: 'elements-inner-express-checkout', title: 'Secure payment button frame', height: 48, modern: true },
};
// Old pages wrote some names otherwise.
const ALIASES = { shippingAddress: 'address' };
const CARD_PARTS = ['card', 'cardNumber'];
const MODES = ['payment', 'setup', 'subscription'];

class Elements {
  constructor(stripe, options) {
    this._stripe = stripe;
    this._options = options;
    this._elements = [];
    this._id = `group${randomDigits()}`;
    this._submitted = false;
    this._handlers = [];
    this._email = null;
    this._check(options);
  }

  _check(options) {
    const { clientSecret, mode, amount, currency } = options;
    if (clientSecret !== undefined && mode !== undefined) misuse('Invalid value for elements(): clientSecret and mode cannot both be given.');
    if (clientSecret !== undefined && !/^(pi|seti|cs)_[A-Za-z0-9_]+_secret_/.test(String(clientSecret))) {
      wrong('elements()', 'clientSecret should be a client secret of the form ${id}_secret_${secret}', clientSecret);
    }
    if (mode !== undefined && !MODES.includes(mode)) wrong('elements()', `mode should be one of ${MODES.join(', ')}`, mode);
    if (mode === 'payment' || mode === 'subscription') {
      if (!Number.isInteger(amount) || amount < 0) wrong('elements()', 'amount should be a whole number of the smallest currency unit', amount);
      if (typeof currency !== 'string') wrong('elements()', 'currency should be a three-letter code', currency);
    }
  }

  get _deferred() {
    return this._options.mode !== undefined;
  }

  _data() {
    return { ...this._stripe._data, group: this._id };
  }

  _shared() {
    const { clientSecret, customerSessionClientSecret, appearance, locale, fonts, ...rest } = this._options;
    return {
      locale: locale || this._stripe._locale || 'auto',
      appearance: plainOptions(appearance || {}),
      customerSessionClientSecret,
      elements: plainOptions({ clientSecret, ...rest }),
    };
  }

  create(name, options = {}) {
    const type = ALIASES[name] || name;
    const spec = SPECS[type];
    if (!spec) {
      misuse(`A valid Element name must be provided. Valid Elements are: ${Object.keys(SPECS).join(', ')}; you passed: ${describe(name)}.`);
    }
    if (options !== null && !isObject(options)) wrong('elements.create()', 'options should be an object', options);
    this._checkCreate(type, own(options));
    const Kind = KINDS[type] || Element;
    const element = new Kind(this, type, spec, options || {});
    this._elements.push(element);
    return element;
  }

  _checkCreate(type, options) {
    const same = this._elements.find((kept) => kept._type === type && (type !== 'address' || kept._options.mode === options.mode));
    if (same) misuse(`Can only create one Element of type ${type} through elements.create().`);
    if (type === 'payment' || type === 'expressCheckout') {
      if (!this._options.clientSecret && !this._deferred) {
        misuse(`In order to create a ${type} element, you must pass a clientSecret or mode when creating the Elements group. e.g. stripe.elements({clientSecret: "{{CLIENT_SECRET}}"}).`);
      }
      if (this._elements.some((kept) => ['card', 'cardNumber'].includes(kept._type))) misuse('A payment Element cannot be in the same Elements group as a card Element.');
    }
    if (type === 'address' && !['shipping', 'billing'].includes(options.mode)) wrong("elements.create('address')", "mode should be 'shipping' or 'billing'", options.mode);
  }

  getElement(name, options) {
    const type = typeof name === 'function' ? name.__elementType : ALIASES[name] || name;
    return this._elements.find((element) => element._type === type && (!options || !options.mode || element._options.mode === options.mode)) || null;
  }

  update(options) {
    if (!isObject(options)) wrong('elements.update()', 'options should be an object', options);
    if (options.clientSecret !== undefined && options.clientSecret !== this._options.clientSecret) misuse('elements.update() cannot change the clientSecret: create a new Elements group.');
    const next = { ...this._options, ...options };
    this._check(next);
    this._options = next;
    this._submitted = false;
    const waits = this._modern().map((element) => element._frame.ask('shared', this._shared()).catch(() => {}));
    const done = Promise.all(waits).then(() => this._handlers.forEach((handler) => handler()));
    return since('dahlia') ? done : undefined;
  }

  // Elements that belong to the group's intent and are on the page.
  _modern() {
    return this._elements.filter((element) => element._spec.modern && element._frame && element._container);
  }

  fetchUpdates() {
    if (!this._options.clientSecret) misuse('elements.fetchUpdates() needs an Elements group with a clientSecret.');
    return Promise.all(this._modern().map((element) => element._frame.ask('shared', { ...this._shared(), fetched: Date.now() })))
      .then(() => ({}), (problem) => ({ error: { message: errorOf(problem).message } }));
  }

  on(type, handler) {
    if (type === 'update-end') this._handlers.push(handler);
    return this;
  }

  // Validates everything that is on the page, before the server makes an intent.
  async submit() {
    const paying = this._paying('elements.submit()');
    for (const element of this._modern()) {
      if (element === paying || !element._frame) continue;
      if (['address', 'linkAuthentication', 'taxId', 'contactDetails'].includes(element._type)) {
        try {
          await element._frame.ask('submitElements', {});
        } catch (problem) {
          return { error: errorOf(problem) };
        }
      }
    }
    try {
      const result = await (paying._sheet || paying._frame).ask('submitElements', {});
      this._submitted = true;
      return { selectedPaymentMethod: result.selectedPaymentMethod };
    } catch (problem) {
      return { error: errorOf(problem) };
    }
  }

  // The element that pays, which must be on the page.
  _paying(where) {
    const ready = this._elements.filter((element) => ['payment', 'expressCheckout'].includes(element._type) && element._container && element._frame);
    const wallet = ready.find((element) => element._type === 'expressCheckout' && element._sheet);
    const found = wallet || ready.find((element) => element._type === 'payment') || ready[0];
    if (!found) misuse(`Invalid value for ${where}: elements should have a mounted Payment Element or Express Checkout Element.`);
    return found;
  }

  // Billing details and shipping that other elements of the group collected.
  async _collected() {
    const out = { billing: {}, shipping: undefined };
    for (const element of this._modern()) {
      if (element._type === 'address') {
        const { complete, value } = await element._frame.ask('value', {});
        if (!complete) continue;
        const { name, address, phone } = value;
        if (element._options.mode === 'shipping') out.shipping = { name, address: clear(address), phone: phone || undefined };
        else Object.assign(out.billing, { name, address: clear(address), phone: phone || undefined });
      }
      if (element._type === 'linkAuthentication') {
        const { value } = await element._frame.ask('value', {});
        if (value.email) out.billing.email = value.email;
      }
    }
    return out;
  }

  _forget(element) {
    this._elements = this._elements.filter((kept) => kept !== element);
  }

  // The e-mail element tells the payment element who is paying.
  _announce(email, wallet) {
    const paying = this._elements.find((element) => element._type === 'payment' && element._frame);
    if (paying) paying._frame.send('email', { email, wallet });
  }
}

// Addresses without the parts that are empty.
const clear = (address) => Object.fromEntries(Object.entries(own(address)).filter(([, value]) => value !== null && value !== ''));

const isElement = (value) => value instanceof Element;
