
// --- payment methods, tokens, card payments -----------------------------------------------------------------------

// Resolves `{name: object}` or `{error}`: Stripe.js never rejects for what the API or a customer did.
const settle = (name, promise) => promise.then((value) => ({ [name]: value }), (problem) => ({ error: errorOf(problem) }));

const cardElement = (value, where) => {
  if (!isElement(value) || !CARD_PARTS.includes(value._type)) wrong(where, 'it should be a card Element', isElement(value) ? value._type : value);
  if (!value._container) misuse('We could not retrieve data from the specified Element. Please make sure the Element you are attempting to use is still mounted.');
  return value;
};

const methods = {
  createPaymentMethod(first, second, third) {
    let data = first;
    if (typeof first === 'string') {
      data = isElement(second) ? { type: first, [first]: second, ...own(third) } : { type: first, ...own(second) };
    }
    if (!isObject(data)) wrong('stripe.createPaymentMethod()', 'it should be an object', data);
    if (data.elements || data.element) return this._createFromElements(data);
    if (!data.type) misuse('Missing value for createPaymentMethod: type should be a string.');
    return settle('paymentMethod', this._paymentMethod(data));
  },

  createToken(source, data = {}) {
    if (typeof source === 'string') {
      const names = { bank_account: 'bank_account', pii: 'pii', person: 'person', account: 'account', cvc_update: 'cvc_update' };
      if (!names[source]) wrong('stripe.createToken()', 'the token type is not known', source);
      if (source === 'cvc_update' && isElement(data)) return settle('token', data._frame.ask('createToken', { data: {} }));
      if (source === 'pii') return settle('token', this._controller.api('POST', '/v1/tokens', { pii: { id_number: data.personal_id_number || data.id_number } }));
      return settle('token', this._controller.api('POST', '/v1/tokens', { [source]: data }));
    }
    if (isElement(source) && source._type === 'iban') {
      return settle('token', source._frame.ask('createToken', { data: plainOptions(own(data)) }));
    }
    const element = cardElement(source, 'stripe.createToken()');
    return settle('token', element._frame.ask('createToken', { data: plainOptions(own(data)) }));
  },

  createSource(source, data) {
    if (isElement(source)) {
      return settle('source', cardElement(source, 'stripe.createSource()')._frame.ask('createSource', { data: plainOptions(own(data)) }));
    }
    if (!isObject(source)) wrong('stripe.createSource()', 'it should be an object', source);
    return settle('source', this._controller.api('POST', '/v1/sources', source));
  },

  retrieveSource({ id, client_secret: secret }) {
    return settle('source', this._controller.api('GET', `/v1/sources/${id}`, { client_secret: secret }));
  },

  retrievePaymentIntent(secret) {
    const id = intentId(secret, 'pi', 'retrievePaymentIntent');
    return settle('paymentIntent', this._controller.api('GET', `/v1/payment_intents/${id}`, { client_secret: secret }));
  },

  retrieveSetupIntent(secret) {
    const id = intentId(secret, 'seti', 'retrieveSetupIntent');
    return settle('setupIntent', this._controller.api('GET', `/v1/setup_intents/${id}`, { client_secret: secret }));
  },

  confirmCardPayment(secret, data, options) {
    const id = intentId(secret, 'pi', 'confirmCardPayment');
    return settle('paymentIntent', this._confirmWith('payment_intents', id, secret, 'card', data, options));
  },

  confirmCardSetup(secret, data, options) {
    const id = intentId(secret, 'seti', 'confirmCardSetup');
    return settle('setupIntent', this._confirmWith('setup_intents', id, secret, 'card', data, options));
  },

  // The names of 2019, still used by old pages.
  handleCardPayment(secret, ...rest) {
    const id = intentId(secret, 'pi', 'handleCardPayment');
    return settle('paymentIntent', this._confirmWith('payment_intents', id, secret, 'card', oldData(rest)));
  },

  handleCardSetup(secret, ...rest) {
    const id = intentId(secret, 'seti', 'handleCardSetup');
    return settle('setupIntent', this._confirmWith('setup_intents', id, secret, 'card', oldData(rest)));
  },

  handleCardAction(secret) {
    const id = intentId(secret, 'pi', 'handleCardAction');
    return settle('paymentIntent', this._handleAction('payment_intents', id, secret));
  },

  handleNextAction({ clientSecret }) {
    const setup = /^seti_/.test(String(clientSecret));
    const id = intentId(clientSecret, setup ? 'seti' : 'pi', 'handleNextAction');
    return settle(setup ? 'setupIntent' : 'paymentIntent', this._handleAction(setup ? 'setup_intents' : 'payment_intents', id, clientSecret));
  },
};

// handleCardPayment(secret, element?, {payment_method_data: {billing_details}, …})
function oldData(rest) {
  const element = isElement(rest[0]) ? rest.shift() : null;
  const { payment_method_data: described, ...data } = own(rest[0]);
  if (element) return { ...data, payment_method: { card: element, ...own(described) } };
  return described ? { ...data, payment_method: described } : data;
}
