
// --- Stripe() ---------------------------------------------------------------------------------------------------

class StripeObject {
  constructor(key, options) {
    checkKey(key);
    const given = own(options);
    this._locale = given.locale;
    this._data = {
      apiKey: key,
      account: given.stripeAccount,
      version: given.apiVersion || VERSIONS[RELEASE],
      locale: given.locale,
    };
    this._apiKey = key;
    this._wrappers = [];
    this._controller = new Controller(this._data);
    if (window.location.protocol === 'file:') console.warn('Stripe.js needs a page that is served over HTTP.');
  }

  elements(options = {}) {
    if (options !== null && options !== undefined && !isObject(options)) wrong('elements()', 'options should be an object', options);
    return new Elements(this, { ...own(options) });
  }

  registerAppInfo(info) {
    this._wrappers.push(info);
  }

  _registerWrapper(wrapper) {
    this._wrappers.push(wrapper);
  }
}

Object.assign(StripeObject.prototype, methods, confirming, checkoutMethods);

function Stripe(key, options) {
  return new StripeObject(key, options);
}
Stripe.version = PUBLIC_VERSION;

if (window.Stripe && window.Stripe.__twin) console.warn('Stripe.js was loaded more than once; the first copy stays in use.');
else {
  Object.defineProperty(Stripe, '__twin', { value: true });
  window.Stripe = Stripe;
}
