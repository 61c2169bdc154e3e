
// --- embedded Checkout ------------------------------------------------------------------------------------------

let embeddedNow = null;

class EmbeddedCheckout {
  constructor(stripe, secret, options) {
    this._stripe = stripe;
    this._options = options;
    this._destroyed = false;
    this._container = null;
    this._frame = new Frame({
      document: 'embedded-checkout-inner',
      frameName: 'embedded-checkout',
      title: 'Secure payment',
      data: { ...stripe._data, clientSecret: secret, locale: stripe._locale || 'auto', referrer: document.referrer },
    });
    this._frame.iframe.setAttribute('scrolling', 'no');
    this._frame.style({ height: '600px', 'color-scheme': 'normal' });
    this._frame.on('resize', ({ height }) => this._frame.style({ height: `${height}px` }));
    this._frame.on('complete', () => {
      if (typeof options.onComplete === 'function') options.onComplete();
    });
    this._frame.on('redirect', ({ url }) => window.location.assign(url));
    this._frame.on('scroll', () => this._frame.iframe.scrollIntoView({ block: 'start' }));
    this._relay('shippingDetailsChange', options.onShippingDetailsChange, (p) => ({ checkoutSessionId: p.session, shippingDetails: p.shippingDetails }));
    this._relay('lineItemsChange', options.onLineItemsChange, (p) => ({ checkoutSessionId: p.session, lineItems: p.lineItems }));
    this._frame.on('analytics', (payload) => {
      if (typeof options.onAnalyticsEvent === 'function') options.onAnalyticsEvent(payload);
    });
    this._frame.greet('init', {
      shippingHandled: typeof options.onShippingDetailsChange === 'function',
      linesHandled: typeof options.onLineItemsChange === 'function',
    });
  }

  // The page's own server decides about shipping details or lines: its answer goes back into the frame.
  _relay(type, handler, shape) {
    this._frame.on(type, async (payload) => {
      if (typeof handler !== 'function') return;
      let answer;
      try {
        answer = await handler(shape(payload));
      } catch (problem) {
        answer = { type: 'reject', errorMessage: String(problem && problem.message ? problem.message : problem) };
      }
      this._frame.send(`${type}Result`, { ask: payload.ask, answer: plainOptions(own(answer)) });
    });
  }

  mount(target) {
    if (this._destroyed) misuse('This Embedded Checkout object has already been destroyed.');
    const container = typeof target === 'string' ? document.querySelector(target) : target;
    if (!container || !container.appendChild) {
      misuse(`Invalid value for embeddedCheckout.mount(): location should be a DOM element or a selector of one. You specified: ${describe(target)}.`);
    }
    if (this._container) misuse('This Embedded Checkout object is already mounted.');
    this._container = container;
    container.appendChild(this._frame.iframe);
  }

  unmount() {
    if (this._destroyed) misuse('This Embedded Checkout object has already been destroyed.');
    this._container = null;
    this._frame.detach();
  }

  destroy() {
    if (this._destroyed) return;
    this._destroyed = true;
    this._container = null;
    this._frame.destroy();
    if (embeddedNow === this) embeddedNow = null;
  }
}

const SESSION_SECRET = /^cs_(test|live)_[A-Za-z0-9]+_secret_.+$/;

async function embedded(stripe, method, options) {
  if (!isObject(options)) wrong(`stripe.${method}()`, 'options should be an object', options);
  const { clientSecret, fetchClientSecret } = options;
  if (!clientSecret && typeof fetchClientSecret !== 'function') {
    misuse(`Missing value for stripe.${method}(): clientSecret or fetchClientSecret is needed.`);
  }
  if (embeddedNow) misuse('You cannot have multiple Embedded Checkout objects.');
  embeddedNow = { pending: true };
  try {
    const secret = clientSecret || (await fetchClientSecret());
    if (typeof secret !== 'string' || !SESSION_SECRET.test(secret)) {
      wrong(`stripe.${method}()`, 'clientSecret should be the client secret of a Checkout Session', secret);
    }
    embeddedNow = new EmbeddedCheckout(stripe, secret, options);
    return embeddedNow;
  } catch (problem) {
    embeddedNow = null;
    throw problem;
  }
}

const checkoutMethods = {
  initEmbeddedCheckout(options) {
    return embedded(this, 'initEmbeddedCheckout', options);
  },

  createEmbeddedCheckoutPage(options) {
    return embedded(this, 'createEmbeddedCheckoutPage', options);
  },

  redirectToCheckout(options) {
    if (!isObject(options)) wrong('stripe.redirectToCheckout()', 'options should be an object', options);
    const { sessionId } = options;
    if (!sessionId) {
      misuse('stripe.redirectToCheckout() needs a sessionId: the client-only integration with lineItems is not built in this twin.');
    }
    if (!/^cs_(test|live)_[A-Za-z0-9]+$/.test(sessionId)) wrong('stripe.redirectToCheckout()', 'sessionId should be the id of a Checkout Session', sessionId);
    window.location.assign(`${CHECKOUT_ORIGIN}/c/pay/${sessionId}`);
    return new Promise(() => {});
  },
};
