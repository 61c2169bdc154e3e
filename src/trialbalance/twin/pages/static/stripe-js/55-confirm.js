
// --- confirming -------------------------------------------------------------------------------------------------

// Parameters of a confirmation that Stripe.js hands through to the API.
const PASSED = ['receipt_email', 'setup_future_usage', 'shipping', 'return_url', 'mandate_data', 'payment_method_options'];

const confirming = {
  // A payment method from `{type: 'card', card: element | {token}, billing_details}`.
  _paymentMethod(data) {
    const { type, billing_details: billing, metadata, ...rest } = data;
    const value = rest[type];
    if (isElement(value)) {
      const element = type === 'card' ? cardElement(value, 'stripe.createPaymentMethod()') : value;
      if (!element._container) misuse('We could not retrieve data from the specified Element. Please make sure the Element you are attempting to use is still mounted.');
      return element._frame.ask('createPaymentMethod', { type, billing_details: plainOptions(own(billing)), metadata });
    }
    const embedded = isObject(value) ? Object.values(value).find(isElement) : null;
    if (embedded) return embedded._frame.ask('createPaymentMethod', { type, billing_details: plainOptions(own(billing)), metadata });
    return this._controller.api('POST', '/v1/payment_methods', plainOptions({ type, billing_details: billing, metadata, ...rest }));
  },

  async _confirmWith(collection, id, secret, type, data = {}, options = {}) {
    const given = own(data).payment_method;
    const params = { client_secret: secret, use_stripe_sdk: true };
    for (const name of PASSED) if (data && data[name] !== undefined) params[name] = data[name];
    if (typeof given === 'string') params.payment_method = given;
    else if (isObject(given)) {
      const found = given[type];
      if (type === 'card' && found === undefined) wrong('confirm payment_method', `it should have a ${type}`, given);
      if (found && found.cvc && isElement(found.cvc)) {
        const token = await found.cvc._frame.ask('createToken', { data: {} });
        params.payment_method_options = { ...own(params.payment_method_options), card: { cvc_token: token.id } };
      }
      params.payment_method = (await this._paymentMethod({ type, ...given })).id;
    } else if (type !== 'card' && data && data.payment_method === undefined) {
      params.payment_method = (await this._paymentMethod({ type })).id;
    }
    const already = await this._alreadyDone(collection, id, secret);
    if (already) return already;
    const intent = await this._controller.api('POST', `/v1/${collection}/${id}/confirm`, params);
    if (own(options).handleActions === false) return intent;
    return this._act(collection, intent, secret);
  },

  // A second click on Pay must not become an error once the first has succeeded.
  async _alreadyDone(collection, id, secret) {
    const intent = await this._controller.api('GET', `/v1/${collection}/${id}`, { client_secret: secret });
    return intent.status === 'succeeded' ? intent : null;
  },

  async _handleAction(collection, id, secret) {
    const intent = await this._controller.api('GET', `/v1/${collection}/${id}`, { client_secret: secret });
    return this._act(collection, intent, secret);
  },

  // Goes through what the bank asks of the customer; old versions name the state after sources.
  async _act(collection, intent, secret) {
    const action = intent.next_action || intent.next_source_action;
    if (!/^requires_(source_)?action$/.test(intent.status) || !action) return intent;
    return this._challenge(collection, intent, action, secret);
  },
};
