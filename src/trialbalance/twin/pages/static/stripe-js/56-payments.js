
// --- confirmPayment, confirmSetup and their sisters -----------------------------------------------------------------

Object.assign(methods, {
  confirmPayment(options) {
    return this._confirmElements('confirmPayment', 'payment_intents', 'pi', 'paymentIntent', options);
  },

  confirmSetup(options) {
    return this._confirmElements('confirmSetup', 'setup_intents', 'seti', 'setupIntent', options);
  },

  async createConfirmationToken(options) {
    if (!isObject(options)) wrong('stripe.createConfirmationToken()', 'options should be an object', options);
    const { elements, params } = options;
    const paying = this._groupOf('createConfirmationToken', elements)._paying('stripe.createConfirmationToken()');
    this._submittedFirst('createConfirmationToken', elements);
    const { billing, shipping } = await elements._collected();
    const given = plainOptions(own(params));
    const described = own(given.payment_method_data);
    given.payment_method_data = { ...described, billing_details: { ...billing, ...own(described.billing_details) } };
    if (shipping && !given.shipping) given.shipping = shipping;
    if (paying._sheet) return settle('confirmationToken', paying._sheet.ask('createConfirmationToken', { params: given }));
    return settle('confirmationToken', paying._frame.ask('createConfirmationToken', { params: given }));
  },

  collectBankAccountForPayment({ clientSecret, params }) {
    return this._collectBank('payment_intents', intentId(clientSecret, 'pi', 'collectBankAccountForPayment'), clientSecret, params, 'paymentIntent');
  },

  collectBankAccountForSetup({ clientSecret, params }) {
    return this._collectBank('setup_intents', intentId(clientSecret, 'seti', 'collectBankAccountForSetup'), clientSecret, params, 'setupIntent');
  },

  verifyMicrodepositsForPayment(secret, data = {}) {
    return this._verify('payment_intents', 'pi', secret, data, 'paymentIntent');
  },

  verifyMicrodepositsForSetup(secret, data = {}) {
    return this._verify('setup_intents', 'seti', secret, data, 'setupIntent');
  },

  createRadarSession() {
    return settle('radarSession', this._controller.api('POST', '/v1/radar/session', {}));
  },

  paymentRequest(options) {
    if (!isObject(options)) wrong('stripe.paymentRequest()', 'options should be an object', options);
    for (const name of ['country', 'currency', 'total']) if (options[name] === undefined) misuse(`Missing value for stripe.paymentRequest(): ${name} is needed.`);
    const handlers = {};
    const request = {
      // No wallet of the browser is set up in a test: the same answer as a browser without one.
      canMakePayment: () => Promise.resolve(null),
      show: () => misuse('paymentRequest.show() can only be called after canMakePayment() found a wallet.'),
      abort: () => request,
      isShowing: () => false,
      update: () => request,
      on: (type, handler) => {
        (handlers[type] = handlers[type] || []).push(handler);
        return request;
      },
      off: () => request,
    };
    return request;
  },
});

Object.assign(confirming, {
  _groupOf(method, elements) {
    if (!(elements instanceof Elements)) wrong(`stripe.${method}()`, 'elements should be an Elements object', elements);
    if (elements._stripe !== this) misuse(`Invalid value for stripe.${method}(): elements was created by another Stripe object. Use the one that made it.`);
    return elements;
  },

  async _createFromElements({ elements, element, params }) {
    const group = elements ? this._groupOf('createPaymentMethod', elements) : element._group;
    const paying = element || group._paying('stripe.createPaymentMethod()');
    this._submittedFirst('createPaymentMethod', group);
    const { billing } = await group._collected();
    const given = own(params);
    const sent = { billing_details: { ...billing, ...plainOptions(own(given.billing_details)) }, metadata: given.metadata };
    const made = (paying._sheet || paying._frame).ask('createPaymentMethod', sent).then(({ _element, ...method }) => method);
    return settle('paymentMethod', made);
  },

  _submittedFirst(method, elements) {
    if ((elements._deferred || method === 'createConfirmationToken') && elements._deferred && !elements._submitted) {
      misuse(`elements.submit() must be called before stripe.${method}(), and its result awaited.`);
    }
  },

  async _confirmElements(method, collection, prefix, name, options) {
    if (!isObject(options)) wrong(`stripe.${method}()`, 'options should be an object', options);
    const { elements, confirmParams, redirect = 'always', clientSecret: given } = options;
    if (!elements && !given) misuse(`Invalid value for stripe.${method}(): elements or clientSecret is needed.`);
    if (!['always', 'if_required'].includes(redirect)) wrong(`stripe.${method}()`, "redirect should be 'always' or 'if_required'", redirect);
    const params = plainOptions(own(confirmParams));
    const paying = elements ? this._groupOf(method, elements)._paying(`stripe.${method}()`) : null;
    if (elements) this._submittedFirst(method, elements);
    const secret = given || (elements && elements._options.clientSecret);
    if (elements && elements._deferred && !given) misuse(`Invalid value for stripe.${method}(): clientSecret is needed, because the Elements group was made without one.`);
    const id = intentId(secret, prefix, method);
    if (redirect === 'always' && !params.return_url) misuse(`Missing value for stripe.${method}(): confirmParams.return_url is needed unless redirect is 'if_required'.`);
    try {
      const intent = await this._pay(collection, id, secret, paying, elements, params);
      if (paying && paying._finish) paying._finish();
      if (redirect === 'always') {
        window.location.assign(withResult(params.return_url, collection, intent));
        return new Promise(() => {});
      }
      return { [name]: intent };
    } catch (problem) {
      const error = errorOf(problem);
      if (paying && !paying._sheet && error.type === 'card_error') paying._frame.send('refused', { error });
      return { error };
    }
  },

  // Makes the payment method in the element's frame, confirms with it, and goes through what the bank asks.
  async _pay(collection, id, secret, paying, elements, params) {
    const { payment_method_data: described, payment_method: named, ...rest } = params;
    const sent = { ...rest, client_secret: secret, use_stripe_sdk: true };
    if (named) sent.payment_method = named;
    else if (described && described.type && !paying) sent.payment_method_data = described;
    if (paying) {
      const { billing, shipping } = await elements._collected();
      const details = { ...billing, ...own(own(described).billing_details) };
      const frame = paying._sheet || paying._frame;
      const made = await frame.ask('createPaymentMethod', { billing_details: details, saving: own(described) });
      sent.payment_method = made.id;
      const extra = own(made._element);
      if (extra.options) sent.payment_method_options = { ...own(sent.payment_method_options), ...extra.options };
      if (extra.save && collection === 'payment_intents' && !sent.setup_future_usage) sent.setup_future_usage = extra.save;
      if (shipping && !sent.shipping && collection === 'payment_intents') sent.shipping = shipping;
      if (made.shipping && !sent.shipping) sent.shipping = made.shipping;
    }
    const already = await this._alreadyDone(collection, id, secret);
    if (already) return already;
    const intent = await this._controller.api('POST', `/v1/${collection}/${id}/confirm`, sent);
    return this._act(collection, intent, secret);
  },

  _collectBank(collection, id, secret, params, name) {
    const data = own(own(params).payment_method_data);
    const note = { ...this._data, collection, intent: id, secret };
    return settle(name, new Promise((resolve, reject) => {
      const veil = cover('Link your bank account');
      const frame = new Frame({ document: 'bank-account', frameName: `__privateStripeFrame${randomDigits()}`, title: 'Link your bank account', data: note });
      frame.style({ width: 'min(460px, 100%)', 'min-width': '0', height: 'min(620px, 100%)', 'border-radius': '12px', background: '#fff' });
      frame.greet('init', { billing_details: plainOptions(own(data.billing_details)) });
      veil.appendChild(frame.iframe);
      document.body.appendChild(veil);
      const close = () => {
        frame.destroy();
        veil.remove();
      };
      frame.on('done', ({ intent, error }) => {
        close();
        if (error) reject({ error });
        else resolve(intent || this._controller.api('GET', `/v1/${collection}/${id}`, { client_secret: secret }));
      });
    }));
  },

  _verify(collection, prefix, secret, data, name) {
    const id = intentId(secret, prefix, 'verifyMicrodeposits');
    return settle(name, this._controller.api('POST', `/v1/${collection}/${id}/verify_microdeposits`, { client_secret: secret, ...plainOptions(own(data)) }));
  },
});

// The return URL with the intent's id, secret and how it ended.
function withResult(url, collection, intent) {
  const kind = collection === 'setup_intents' ? 'setup_intent' : 'payment_intent';
  const target = new URL(url, window.location.href);
  target.searchParams.set(kind, intent.id);
  target.searchParams.set(`${kind}_client_secret`, intent.client_secret);
  const good = ['succeeded', 'processing', 'requires_capture'].includes(intent.status);
  target.searchParams.set('redirect_status', good ? 'succeeded' : intent.status === 'requires_action' ? 'pending' : 'failed');
  return target.toString();
}

// confirm<Method>Payment and confirm<Method>Setup: one method each, with its own name.
const RAILS = {
  AcssDebit: 'acss_debit', Affirm: 'affirm', AfterpayClearpay: 'afterpay_clearpay', Alipay: 'alipay', AmazonPay: 'amazon_pay', AuBecsDebit: 'au_becs_debit',
  BacsDebit: 'bacs_debit', Bancontact: 'bancontact', Billie: 'billie', Blik: 'blik', Boleto: 'boleto', Cashapp: 'cashapp', CustomerBalance: 'customer_balance', Eps: 'eps',
  Fpx: 'fpx', Giropay: 'giropay', GrabPay: 'grabpay', Ideal: 'ideal', Klarna: 'klarna', Konbini: 'konbini', Mobilepay: 'mobilepay', Multibanco: 'multibanco', Oxxo: 'oxxo',
  P24: 'p24', PayByBank: 'pay_by_bank', PayNow: 'paynow', PayPal: 'paypal', Pix: 'pix', PromptPay: 'promptpay', RevolutPay: 'revolut_pay', SepaDebit: 'sepa_debit', Sofort: 'sofort',
  Twint: 'twint', UsBankAccount: 'us_bank_account', WechatPay: 'wechat_pay', Link: 'link',
};
for (const [word, type] of Object.entries(RAILS)) {
  methods[`confirm${word}Payment`] = function confirmPayment(secret, data, options) {
    const id = intentId(secret, 'pi', `confirm${word}Payment`);
    return settle('paymentIntent', this._confirmWith('payment_intents', id, secret, type, data, options));
  };
  methods[`confirm${word}Setup`] = function confirmSetup(secret, data, options) {
    const id = intentId(secret, 'seti', `confirm${word}Setup`);
    return settle('setupIntent', this._confirmWith('setup_intents', id, secret, type, data, options));
  };
}
