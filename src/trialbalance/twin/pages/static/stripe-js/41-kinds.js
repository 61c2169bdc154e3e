
// --- elements with more of their own ------------------------------------------------------------------------------

class PaymentElement extends Element {
  collapse() {
    this._mounted('collapse');
    this._frame.send('collapse', {});
    return this;
  }
}

class AddressElement extends Element {
  getValue() {
    this._mounted('getValue');
    return this._frame.ask('value', {});
  }

  _changed(payload) {
    super._changed({ ...payload, elementMode: this._options.mode });
  }
}

class LinkAuthenticationElement extends Element {
  _build() {
    super._build();
    this._frame.on('known', ({ email, wallet }) => this._group._announce(email, wallet));
  }
}

// The buttons of wallets. A click asks the page first; the wallet's sheet then runs in a frame over the page.
class ExpressCheckoutElement extends Element {
  _build() {
    super._build();
    this._frame.on('available', ({ availablePaymentMethods }) => {
      this._ready = true;
      this._available = availablePaymentMethods;
      this._emit('ready', { elementType: this._type, availablePaymentMethods });
      this._emit('availablepaymentmethodschange', { elementType: this._type, availablePaymentMethods });
    });
    this._frame.on('clicked', ({ expressPaymentType }) => this._clicked(expressPaymentType));
  }

  _becameReady() {}

  on(type, handler) {
    if (type === 'ready' && this._ready) {
      Promise.resolve().then(() => handler({ elementType: this._type, availablePaymentMethods: this._available }));
      (this._handlers.ready = this._handlers.ready || []).push(handler);
      return this;
    }
    return super.on(type, handler);
  }

  _clicked(expressPaymentType) {
    let answered = false;
    const open = (details) => {
      if (answered) return;
      answered = true;
      this._openSheet(expressPaymentType, own(details));
    };
    const event = { elementType: this._type, expressPaymentType, resolve: open, reject: () => { answered = true; } };
    if (!(this._handlers.click || []).length) open({});
    else {
      this._emit('click', event);
      setTimeout(() => {
        if (!answered) console.warn('The click event of the Express Checkout Element must be resolved within 1 second.');
      }, 1000);
    }
  }

  _openSheet(expressPaymentType, details) {
    const group = this._group;
    const veil = cover('Test wallet');
    const frame = new Frame({ document: 'wallet-sheet', frameName: `__privateStripeFrame${randomDigits()}`, title: 'Test wallet', data: group._data() });
    frame.style({ width: 'min(420px, 100%)', 'min-width': '0', height: 'min(620px, 100%)', 'border-radius': '14px', background: '#fff' });
    const options = { ...plainOptions(this._options), ...plainOptions(details) };
    frame.greet('init', { ...group._shared(), options, expressPaymentType, amount: group._options.amount, currency: group._options.currency });
    veil.appendChild(frame.iframe);
    document.body.appendChild(veil);
    const close = () => {
      this._sheet = null;
      frame.destroy();
      veil.remove();
    };
    this._sheet = frame;
    frame.on('cancel', () => {
      close();
      this._emit('cancel', { elementType: this._type });
    });
    for (const [type, key] of [['shippingaddresschange', 'address'], ['shippingratechange', 'shippingRate']]) {
      frame.on(type, (payload) => {
        const event = {
          elementType: this._type,
          ...(key === 'address' ? { name: payload.name, address: payload.address } : { shippingRate: payload.shippingRate }),
          resolve: (update) => {
            if (key === 'address' && group._options.amount !== undefined) frame.send('amount', { amount: group._options.amount });
            frame.send('changed', { ask: payload.ask, update: plainOptions(own(update)), amount: group._options.amount });
          },
          reject: () => frame.send('changed', { ask: payload.ask, rejected: true }),
        };
        if ((this._handlers[type] || []).length) this._emit(type, event);
        else event.resolve({});
      });
    }
    frame.on('confirm', (payload) => {
      this._wallet = payload;
      this._emit('confirm', {
        elementType: this._type, expressPaymentType, ...payload.event,
        paymentFailed: (given) => frame.send('failed', { message: own(given).message, reason: own(given).reason }),
      });
    });
    this._finish = close;
  }
}

const KINDS = { payment: PaymentElement, address: AddressElement, linkAuthentication: LinkAuthenticationElement, contactDetails: LinkAuthenticationElement, expressCheckout: ExpressCheckoutElement };

// A veil over the page for something that must be answered first.
function cover(label) {
  const veil = document.createElement('div');
  const style = { position: 'fixed', inset: '0', 'z-index': '2147483647', display: 'grid', 'place-items': 'center', padding: '16px', background: 'rgba(10, 20, 27, 0.72)', 'box-sizing': 'border-box' };
  for (const [name, value] of Object.entries(style)) veil.style.setProperty(name, value, 'important');
  veil.setAttribute('role', 'dialog');
  veil.setAttribute('aria-modal', 'true');
  veil.setAttribute('aria-label', label);
  return veil;
}
