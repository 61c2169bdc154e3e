
// --- Checkout Sessions with elements ("custom checkout") ---------------------------------------------------------------

const DECIMALS = { zero: 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '), three: 'bhd jod kwd omr tnd'.split(' ') };
const placesOf = (currency) => (DECIMALS.zero.includes(currency) ? 0 : DECIMALS.three.includes(currency) ? 3 : 2);

class CheckoutSdk {
  constructor(stripe, options, method) {
    if (!isObject(options)) wrong(`stripe.${method}()`, 'options should be an object', options);
    const secret = options.clientSecret !== undefined ? options.clientSecret : options.fetchClientSecret && options.fetchClientSecret();
    if (secret === undefined) misuse(`Missing value for stripe.${method}(): clientSecret is needed (a string or a promise of one).`);
    this._stripe = stripe;
    this._method = method;
    this._options = options;
    this._handlers = [];
    this._page = null;
    this._group = null;
    this._kept = {};
    this._ready = Promise.resolve(secret).then((value) => this._load(value));
    this._ready.catch(() => {});
  }

  async _load(secret) {
    if (typeof secret !== 'string' || !SESSION_SECRET.test(secret)) wrong(`stripe.${this._method}()`, 'clientSecret should be the client secret of a Checkout Session', secret);
    this._secret = secret;
    this._id = secret.split('_secret_')[0];
    const { appearance, fonts, loader } = own(this._options.elementsOptions || this._options);
    this._group = new Elements(this._stripe, { clientSecret: secret, appearance, fonts, loader, locale: this._stripe._locale });
    this._page = await this._ask('/init', { browser_locale: navigator.language });
    if (this._page.ui_mode !== 'elements' && this._page.ui_mode !== 'form') {
      misuse(`stripe.${this._method}() needs a Checkout Session whose ui_mode is elements (custom, before dahlia). This one's is ${this._page.ui_mode}.`);
    }
    const { email, phoneNumber, billingAddress, shippingAddress } = own(this._options.defaultValues);
    const start = {};
    if (email || phoneNumber || billingAddress) start.customer_details = { email, phone: phoneNumber, ...contactOf(billingAddress) };
    if (shippingAddress) start.shipping = contactOf(shippingAddress);
    if (Object.keys(start).length) this._page = await this._ask('', start);
    (this._waiting || []).forEach((open) => open());
    this._stripe._controller.event('load', { session: this._id, element: 'checkout' });
  }

  _ask(suffix, params) {
    return this._stripe._controller.api('POST', `/v1/payment_pages/${this._id}${suffix}`, { ...params, client_secret: this._secret });
  }

  _changed(page) {
    this._page = page;
    const session = this.session();
    this._group._options.currency = page.currency;
    this._handlers.forEach((handler) => handler(session));
    return session;
  }

  // Every action answers {type: 'success', session} or {type: 'error', error}; codes are for what a customer can mend.
  async _act(suffix, params, code = () => null) {
    try {
      await this._ready;
      return { type: 'success', session: this._changed(await this._ask(suffix, params)) };
    } catch (problem) {
      if (problem instanceof IntegrationError) throw problem;
      const error = errorOf(problem);
      return { type: 'error', error: { message: error.message, code: code(error) } };
    }
  }

  on(event, handler) {
    if (event !== 'change') wrong('checkout.on()', "event should be 'change'", event);
    this._handlers.push(handler);
  }

  loadActions() {
    return this._ready.then(
      () => ({ type: 'success', actions: this._actions() }),
      (problem) => {
        if (problem instanceof IntegrationError) throw problem;
        return { type: 'error', error: { message: errorOf(problem).message, code: null } };
      },
    );
  }

  session() {
    return sessionOf(this._page, this);
  }

  changeAppearance(appearance) {
    this._whenLoaded(() => this._group.update({ appearance }));
  }

  loadFonts(fonts) {
    this._whenLoaded(() => this._group.update({ fonts }));
  }

  _whenLoaded(action) {
    if (this._group) action();
    else (this._waiting = this._waiting || []).push(action);
  }

  // Elements may be made before the secret is known: they wait for it.
  _create(key, type, options) {
    if (this._kept[key] && !this._kept[key]._destroyed) misuse(`Can only create one Element of this kind through checkout (${key}).`);
    const group = this._group || (this._early = this._early || new LateGroup(this));
    const element = group.create ? group.create(type, options) : null;
    this._kept[key] = element;
    return element;
  }

  _get(key) {
    const found = this._kept[key];
    return found && !found._destroyed ? found : null;
  }

  createPaymentElement(options) {
    return this._create('payment', 'payment', own(options));
  }

  createBillingAddressElement(options) {
    return this._address('billing', options);
  }

  createShippingAddressElement(options) {
    return this._address('shipping', options);
  }

  _address(mode, options) {
    const element = this._create(`${mode}Address`, 'address', { ...own(options), mode });
    let last = '';
    element.on('change', ({ complete, value }) => {
      const text = JSON.stringify(value);
      if (!complete || text === last) return;
      last = text;
      const contact = { name: value.name, address: clear(value.address) };
      const params = mode === 'shipping' ? { shipping: contact } : { customer_details: contact };
      if (value.phone) params.customer_details = { ...own(params.customer_details), phone: value.phone };
      this._syncing = this._act('', params);
    });
    return element;
  }

  createExpressCheckoutElement(options) {
    return this._create('expressCheckout', 'expressCheckout', own(options));
  }

  createCurrencySelectorElement() {
    return this._create('currencySelector', 'currencySelector', {});
  }

  createTaxIdElement(options) {
    return this._create('taxId', 'taxId', own(options));
  }

  createContactDetailsElement() {
    const element = this._create('contactDetails', 'contactDetails', {});
    element.on('change', ({ complete, value }) => {
      if (complete && value.email !== own(own(this._page).customer_details).email) this._syncing = this._act('', { customer_details: { email: value.email } });
    });
    return element;
  }

  createTermsElement() {
    return misuse('checkout.createTermsElement() is in private preview and not built in this twin.');
  }

  createLinkSignupElement() {
    return misuse('checkout.createLinkSignupElement() is in private preview and not built in this twin.');
  }

  createForm() {
    return misuse('checkout.createForm() is in private preview and not built in this twin. Use ui_mode elements, or the embedded page.');
  }

  getPaymentElement() { return this._get('payment'); }
  getBillingAddressElement() { return this._get('billingAddress'); }
  getShippingAddressElement() { return this._get('shippingAddress'); }
  getExpressCheckoutElement() { return this._get('expressCheckout'); }
  getCurrencySelectorElement() { return this._get('currencySelector'); }
  getTaxIdElement() { return this._get('taxId'); }
  getContactDetailsElement() { return this._get('contactDetails'); }
  getTermsElement() { return null; }
  getLinkSignupElement() { return null; }
  getForm() { return null; }

  _actions() {
    const promotion = (error) => (error.code === 'promotion_code_invalid' ? (/minimum order/.test(error.message) ? 'promotionCodeAmountInsufficient' : 'invalidCode') : null);
    const details = (given) => this._act('', { customer_details: given });
    return {
      getSession: () => this.session(),
      applyPromotionCode: (code) => this._act('', { promotion_code: String(code) }, promotion),
      removePromotionCode: () => this._act('', { promotion_code: '' }),
      updateEmail: (email) => {
        const value = String(email === null || email === undefined ? '' : email).trim();
        if (!value.includes('@')) return Promise.resolve({ type: 'error', error: { message: 'This email address is not complete.', code: 'incompleteEmail' } });
        if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return Promise.resolve({ type: 'error', error: { message: 'This email address is not valid.', code: 'invalidEmail' } });
        return details({ email: value });
      },
      updatePhoneNumber: (phone) => details({ phone: phone === null ? '' : phone }),
      updateIndividualName: (name) => details({ individual_name: name === null ? '' : name }),
      updateBusinessName: (name) => details({ business_name: name === null ? '' : name }),
      updateBillingAddress: (contact) => details(contactOf(contact)),
      updateShippingAddress: (contact) => this._act('', { shipping: contactOf(contact) }),
      updateTaxIdInfo: (info) => details(info ? { tax_ids: [info.taxId], business_name: info.businessName } : { tax_ids: '' }),
      updateLineItemQuantity: ({ lineItem, quantity }) => this._act('', { line_items: [{ id: lineItem, quantity }] }),
      updateShippingOption: (rate) => this._act('', { shipping_rate: rate }),
      addOptionalLineItem: (price) => this._act('', { optional_items: [{ price, quantity: (own(this._page).optional_items.find((item) => item.price.id === price) || {}).quantity || 1 }] }),
      removeOptionalLineItem: (price) => this._act('', { optional_items: [{ price, quantity: 0 }] }),
      runServerUpdate: async (run) => {
        try {
          await run();
        } catch (problem) {
          return { type: 'error', error: { message: String((problem && problem.message) || problem), code: null } };
        }
        return this._act('/init', {});
      },
      validateElements: () => this._validate(),
      confirm: (args) => this._confirm(own(args)),
    };
  }

  async _validate() {
    const mounted = this._group._modern().filter((element) => ['payment', 'address', 'taxId', 'contactDetails'].includes(element._type));
    if (!mounted.length) return { type: 'error', error: { code: 'no_elements', message: 'No element is mounted.', validation_errors: [] } };
    const found = [];
    for (const element of mounted) {
      try {
        await element._frame.ask('submitElements', {});
      } catch (problem) {
        const name = element._type === 'address' ? `${element._options.mode}Address` : element._type;
        found.push({ element: name, message: errorOf(problem).message });
      }
    }
    if (!found.length) return { type: 'success', session: this.session() };
    return { type: 'error', error: { code: 'validation_error', message: found[0].message, validation_errors: found } };
  }

  async _confirm({ returnUrl, redirect = 'always', paymentMethod, savePaymentMethod, email, phoneNumber, billingAddress, shippingAddress, expressCheckoutConfirmEvent }) {
    const failed = (message, code = null, more = {}) => ({ type: 'error', error: { message, code, ...more } });
    const page = this._page;
    const back = returnUrl || page.return_url;
    if (redirect === 'always' && !back) misuse('confirm() needs a returnUrl, or the session a return_url, unless redirect is if_required.');
    const params = { customer_details: { email, phone: phoneNumber, ...contactOf(billingAddress) }, browser_locale: navigator.language };
    if (shippingAddress) params.shipping = contactOf(shippingAddress);
    try {
      await this._syncing;
      const paying = this._group._elements.find((element) => element._type === 'expressCheckout' && element._sheet) || this._get('payment');
      let method = paymentMethod;
      const needed = page.mode === 'payment' ? page.amount_total > 0 : page.payment_method_collection === 'always' || page.amount_total > 0;
      if (!method && needed) {
        if (!paying || !paying._container) misuse('confirm() needs a mounted Payment Element or Express Checkout Element, or a paymentMethod.');
        const known = own(page.customer_details);
        const billing = { email: email || known.email || undefined, name: known.name || undefined, phone: phoneNumber || undefined, address: known.address ? clear(known.address) : undefined, ...contactOf(billingAddress) };
        const made = await (paying._sheet || paying._frame).ask('createPaymentMethod', { billing_details: plainOptions(billing) });
        method = made.id;
        if (made.shipping && !params.shipping) params.shipping = made.shipping;
        if (expressCheckoutConfirmEvent && !known.email) params.customer_details.email = email || own(expressCheckoutConfirmEvent.billingDetails).email || 'wallet@example.test';
      }
      let next = await this._ask('/confirm', { ...plainOptions(params), payment_method: method, expected_amount: page.mode === 'setup' ? undefined : page.amount_total, save_payment_method: savePaymentMethod, return_url: back || undefined });
      const intent = next.payment_intent || next.setup_intent;
      if (next.status !== 'complete' && intent && intent.status === 'requires_action') {
        const collection = intent.object === 'setup_intent' ? 'setup_intents' : 'payment_intents';
        await this._stripe._challenge(collection, intent, intent.next_action, intent.client_secret);
        next = await this._ask('/init', {});
      }
      if (paying && paying._finish) paying._finish();
      const session = this._changed(next);
      if (next.status !== 'complete') return failed('The payment is not complete.');
      const target = (returnUrl || next.redirect || '').replace('{CHECKOUT_SESSION_ID}', encodeURIComponent(this._id));
      if (redirect === 'always' && target) {
        window.location.assign(target);
        return new Promise(() => {});
      }
      return { type: 'success', session };
    } catch (problem) {
      if (problem instanceof IntegrationError) throw problem;
      const error = errorOf(problem);
      if (error.type === 'card_error') {
        const element = this._get('payment');
        if (element && element._frame) element._frame.send('refused', { error });
        return failed(error.message, 'paymentFailed', { paymentFailed: { declineCode: error.decline_code || null } });
      }
      return failed(error.message);
    }
  }
}

// Elements that are made before the client secret is there are mounted once it is.
class LateGroup {
  constructor(sdk) {
    this._sdk = sdk;
  }

  create(type, options) {
    const group = new Elements(this._sdk._stripe, {});
    group._options.clientSecret = undefined;
    const Kind = KINDS[type] || Element;
    const element = new Kind(group, type, SPECS[type], options);
    group._elements.push(element);
    const mount = element.mount.bind(element);
    element.mount = (target) => {
      if (this._sdk._group) return mount(target);
      this._sdk._whenLoaded(() => {
        if (!element._destroyed) element.mount(target);
      });
      return element;
    };
    this._sdk._whenLoaded(() => {
      element._group = this._sdk._group;
      this._sdk._group._elements.push(element);
      element.mount = mount;
    });
    return element;
  }
}

const contactOf = (contact) => (contact ? { name: contact.name || undefined, address: contact.address ? clear(contact.address) : undefined } : {});

// A payment page as the session that pages of shops read: amounts in minor units and in words.
function sessionOf(page, sdk) {
  const { currency } = page;
  const places = currency ? placesOf(currency) : 2;
  const words = new Intl.NumberFormat(own(sdk._stripe)._locale && sdk._stripe._locale !== 'auto' ? sdk._stripe._locale : undefined, {
    style: 'currency', currency: (currency || 'usd').toUpperCase(), currencyDisplay: 'narrowSymbol', minimumFractionDigits: places, maximumFractionDigits: places,
  });
  const amount = (value) => ({ minorUnitsAmount: value || 0, amount: words.format((value || 0) / 10 ** places) });
  const details = own(page.customer_details);
  const totals = page.total_details || { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };
  const inside = page.taxes.filter((tax) => tax.inclusive).reduce((sum, tax) => sum + tax.amount, 0);
  const shipped = own(page.collected_information).shipping_details;
  const rate = page.shipping_options.find((option) => option.selected);
  const option = (found) => ({ id: found.id, currency, displayName: found.display_name, deliveryEstimate: found.delivery_estimate, ...amount(found.amount) });
  const discount = page.discount && {
    ...amount(page.discount.amount), displayName: page.discount.name, promotionCode: page.discount.code, percentOff: page.discount.percent_off,
    recurring: { forever: { type: 'forever' }, repeating: { type: 'repeating', durationInMonths: page.discount.duration_in_months } }[page.discount.duration] || null,
  };
  const taxAmounts = page.taxes.map((tax) => ({ ...amount(tax.amount), inclusive: tax.inclusive, displayName: tax.display_name, percentage: tax.percentage }));
  const intent = page.payment_intent || page.setup_intent;
  return {
    id: page.id,
    livemode: false,
    currency,
    currencyOptions: null,
    minorUnitsAmountDivisor: 10 ** places,
    email: details.email || null,
    phoneNumber: details.phone || null,
    businessName: details.business_name || null,
    nameCollection: page.name_collection ? { individualName: details.individual_name || null, businessName: details.business_name || null } : null,
    billingAddress: details.address ? { name: details.name || null, address: details.address } : null,
    shippingAddress: shipped ? { name: shipped.name, address: shipped.address } : null,
    canConfirm: page.status === 'open' && Boolean(details.email) && (!page.shipping_address_collection || Boolean(shipped)) && paymentComplete(sdk),
    discountAmounts: discount ? [discount] : null,
    lastPaymentError: intent && intent.last_error ? { message: intent.last_error.message } : null,
    lineItems: page.line_items.map((line) => ({
      id: line.id,
      name: line.description,
      description: line.product.description,
      images: line.product.images,
      quantity: line.quantity,
      priceId: line.price.id,
      unitLabel: line.product.unit_label,
      unitAmount: amount(line.price.unit_amount),
      unitAmountDecimal: line.price.unit_amount === null && line.price.unit_amount_decimal !== null ? { minorUnitsAmount: Number(line.price.unit_amount_decimal), amount: words.format(Number(line.price.unit_amount_decimal) / 10 ** places) } : null,
      subtotal: amount(line.amount_subtotal),
      discount: amount(line.amount_discount),
      taxInclusive: amount(line.tax_inclusive),
      taxExclusive: amount(line.amount_tax - line.tax_inclusive),
      total: amount(line.amount_total),
      discountAmounts: line.amount_discount && discount ? [{ ...discount, ...amount(line.amount_discount) }] : null,
      taxAmounts: null,
      recurring: line.price.recurring ? { interval: line.price.recurring.interval, intervalCount: line.price.recurring.interval_count, usageType: line.metered ? 'metered' : 'licensed' } : null,
      adjustableQuantity: line.adjustable_quantity && line.adjustable_quantity.enabled ? { maximum: line.adjustable_quantity.maximum, minimum: line.adjustable_quantity.minimum } : null,
      isRemovable: line.optional,
      pricing: null,
      transformQuantity: null,
    })),
    optionalItems: page.optional_items.length ? page.optional_items.map((item) => ({
      priceId: item.price.id, name: item.product.name, description: item.product.description, images: item.product.images, quantity: item.chosen || item.quantity, isSelected: item.chosen > 0,
      unitAmount: amount(item.price.unit_amount), unitAmountDecimal: null, unitLabel: null, recurring: null,
      adjustableQuantity: item.adjustable_quantity && item.adjustable_quantity.enabled ? { maximum: item.adjustable_quantity.maximum, minimum: item.adjustable_quantity.minimum } : null,
    })) : null,
    recurring: page.subscription ? {
      interval: page.subscription.interval, intervalCount: page.subscription.interval_count, isProrated: Boolean(page.subscription.billing_cycle_anchor),
      dueNext: { subtotal: amount(page.subscription.next.subtotal), total: amount(page.subscription.next.total), discount: amount(page.subscription.next.discount), taxInclusive: amount(page.subscription.next.tax_inclusive), taxExclusive: amount(page.subscription.next.tax_exclusive), billingCycleAnchor: page.subscription.billing_cycle_anchor },
      trial: page.subscription.trial_days ? { trialEnd: page.subscription.trial_end || page.now + page.subscription.trial_days * 86400, trialPeriodDays: page.subscription.trial_days } : null,
    } : null,
    savedPaymentMethods: page.payment_methods.length ? page.payment_methods.map((method) => ({
      id: method.id, type: 'card', billingDetails: method.billing_details,
      card: { brand: method.card.brand, expMonth: method.card.exp_month, expYear: method.card.exp_year, last4: method.card.last4 },
    })) : null,
    shipping: rate ? { shippingOption: option(rate), taxAmounts: null } : null,
    shippingOptions: page.shipping_options.map(option),
    status: page.status === 'complete' ? { type: 'complete', paymentStatus: page.payment_status } : { type: page.status },
    surcharge: null,
    tax: { status: page.automatic_tax.status === 'requires_location_inputs' ? (page.shipping_address_collection ? 'requires_shipping_address' : 'requires_billing_address') : 'ready' },
    taxAmounts: taxAmounts.length ? taxAmounts : null,
    taxIdInfo: details.tax_ids && details.tax_ids.length ? { taxId: details.tax_ids[0], businessName: details.business_name || '' } : null,
    total: {
      subtotal: amount(page.amount_subtotal), total: amount(page.amount_total), discount: amount(totals.amount_discount), shippingRate: amount(totals.amount_shipping),
      taxInclusive: amount(inside), taxExclusive: amount(totals.amount_tax - inside), appliedBalance: amount(0), balanceAppliedToNextInvoice: false, surcharge: amount(0),
    },
  };
}

function paymentComplete(sdk) {
  const element = sdk._get('payment');
  if (!element) return true;
  if (!element._watched) {
    element._watched = true;
    element.on('change', () => sdk._page && sdk._changed(sdk._page));
  }
  return element._state.complete;
}

Object.assign(checkoutMethods, {
  initCheckoutElementsSdk(options) {
    return new CheckoutSdk(this, options, 'initCheckoutElementsSdk');
  },

  initCheckoutFormSdk(options) {
    return new CheckoutSdk(this, options, 'initCheckoutFormSdk');
  },

  // From clover on the object comes at once and `loadActions()` waits; before, a promise of everything in one object.
  initCheckout(options) {
    const sdk = new CheckoutSdk(this, options, 'initCheckout');
    if (RELEASE !== 'v3' && since('clover')) return sdk;
    const whole = sdk.loadActions().then((result) => {
      if (result.type === 'error') throw new Error(result.error.message);
      const { getSession, ...actions } = result.actions;
      const old = { session: getSession, getSession, createElement: (type, given) => old[`create${type[0].toUpperCase()}${type.slice(1)}Element`](given), ...actions };
      for (const name of Object.getOwnPropertyNames(CheckoutSdk.prototype)) if (!name.startsWith('_') && name !== 'constructor' && !(name in old)) old[name] = sdk[name].bind(sdk);
      return old;
    });
    if (RELEASE !== 'v3') return whole;
    // The evergreen script serves pages of both kinds: a promise with the newer methods on it.
    for (const name of Object.getOwnPropertyNames(CheckoutSdk.prototype)) if (!name.startsWith('_') && name !== 'constructor') whole[name] = sdk[name].bind(sdk);
    whole.catch(() => {});
    return whole;
  },
});
