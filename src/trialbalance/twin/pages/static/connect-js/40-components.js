// --- the components -----------------------------------------------------------------------------------------------
// Custom elements `stripe-connect-<name>`: each shows one frame in the light DOM, and what lies over the page (details,
// dialogs) in a second one at the end of the body.

const COMMON = ['OnLoadError', 'OnLoaderStart'];
const COMPONENTS = {
  'account-management': ['Account management', 'CollectionOptions', 'OnSectionOpen'],
  'account-onboarding': ['Account onboarding', 'FullTermsOfServiceUrl', 'RecipientTermsOfServiceUrl', 'PrivacyPolicyUrl',
    'SkipTermsOfServiceCollection', 'CollectionOptions', 'OnExit', 'OnStepChange'],
  balances: ['Balances'],
  documents: ['Documents'],
  'disputes-list': ['Disputes'],
  'notification-banner': ['Notifications', 'CollectionOptions', 'OnNotificationsChange'],
  'payment-details': ['Payment details', 'Payment', 'OnClose'],
  'payment-disputes': ['Disputes of a payment', 'Payment', 'OnDisputesLoaded'],
  payments: ['Payments', 'DefaultFilters'],
  'payout-details': ['Payout details', 'Payout', 'OnClose'],
  payouts: ['Payouts'],
  'payouts-list': ['List of payouts'],
  // Known to the npm package, not built: each says so.
  'balance-report': ['Balance report'],
  'financial-account': ['Financial account', 'FinancialAccount'],
  'financial-account-transactions': ['Financial account transactions', 'FinancialAccount'],
  'instant-payouts-promotion': ['Instant payouts', 'OnInstantPayoutsPromotionLoaded', 'OnInstantPayoutCreated'],
  'issuing-card': ['Card', 'DefaultCard', 'CardSwitching', 'FetchEphemeralKey', 'ShowSpendControls'],
  'issuing-cards-list': ['Cards', 'FetchEphemeralKey', 'ShowSpendControls', 'IssuingProgram'],
  'payout-reconciliation-report': ['Payout reconciliation', 'OnReportAvailabilityLoaded'],
  'tax-registrations': ['Tax registrations', 'OnAfterTaxRegistrationAdded', 'DisplayCountries', 'OnAfterTaxRegistrationExpired'],
  'tax-settings': ['Tax settings', 'HideProductTaxCodeSelector', 'DisplayHeadOfficeCountries', 'OnTaxSettingsUpdated'],
};
const lower = (name) => name[0].toLowerCase() + name.slice(1);
// Attributes that older packages set instead of calling setters.
const ATTRIBUTES = { payment: 'payment', payout: 'payout', 'payment-id': 'payment', 'full-terms-of-service-url': 'fullTermsOfServiceUrl',
  'recipient-terms-of-service-url': 'recipientTermsOfServiceUrl', 'privacy-policy-url': 'privacyPolicyUrl',
  'skip-terms-of-service-collection': 'skipTermsOfServiceCollection' };
// Callbacks by the name of the event that the frame sends, and the DOM event that older packages listen to.
const CALLBACKS = {
  close: 'onClose', disputesloaded: 'onDisputesLoaded', exit: 'onExit', loaderstart: 'onLoaderStart', notificationschange: 'onNotificationsChange',
  sectionopen: 'onSectionOpen', stepchange: 'onStepChange',
};

class Component extends HTMLElement {
  // The site's end

  setConnector(connector) {
    this._connector = connector;
    connector.elements.add(this);
    this._show();
  }

  connectedCallback() {
    this._show();
  }

  disconnectedCallback() {
    this._clear();
  }

  attributeChangedCallback(name, old, value) {
    this._set(ATTRIBUTES[name], value === null ? undefined : value);
  }

  // Our end

  _set(name, value) {
    this._props = { ...this._props, [name]: value };
    this._tell('props', { props: this._data() });
  }

  // What of the settings is data; callbacks stay here.
  _data() {
    return Object.fromEntries(Object.entries(own(this._props)).filter(([, value]) => typeof value !== 'function'));
  }

  _call(name, payload) {
    const callback = own(this._props)[CALLBACKS[name] || name];
    if (typeof callback === 'function') callback(payload);
    this.dispatchEvent(new CustomEvent(name, { detail: payload }));
  }

  _show() {
    const connector = this._connector;
    if (!connector || !this.isConnected || this._frame) return;
    if (connector.closed) {
      this._fail({ type: 'invalid_request_error', message: 'This instance was logged out.' });
      return;
    }
    connector.elements.add(this);
    this.style.display = 'block';
    const frame = this._frame = this._make('ui-layer', {});
    frame.style({ width: '100%', height: '0' });
    frame.iframe.addEventListener('error', () => this._fail({ type: 'render_error', message: 'The frame could not be loaded.' }));
    frame.on('resize', ({ height }) => frame.style({ height: `${height}px` }));
    frame.on('overlay', (payload) => this._open(payload));
    frame.on('loaderstart', () => this._call('loaderstart', { elementTagName: this._name }));
    frame.on('loaderror', ({ error }) => this._fail(loadError(error)));
    for (const name of ['disputesloaded', 'exit', 'notificationschange', 'sectionopen', 'stepchange']) {
      frame.on(name, (payload) => this._call(name, name === 'exit' ? undefined : payload));
    }
    this.replaceChildren(frame.iframe);
    this._start(frame, {});
  }

  _make(layer, data) {
    const frame = new Frame({
      document: layer,
      frameName: `stripe-connect-${layer}-${this._name}-${randomDigits()}`,
      title: COMPONENTS[this._name][0],
      data: { apiKey: this._connector.params.publishableKey, component: this._name, layer, ...data },
    });
    frame.iframe.dataset.testid = `stripe-connect-${layer}-stripe-connect-${this._name}`;
    frame.iframe.setAttribute('scrolling', layer === 'ui-layer' ? 'no' : 'auto');
    frame.on('expired', ({ token }) => this._connector.renew(token));
    return frame;
  }

  _start(frame, more) {
    this._connector.claimed.then(
      (session) => frame.greet('start', { session, props: this._data(), ...this._connector.look(), ...more }),
      (error) => {
        frame.greet('failed', { error, ...this._connector.look() });
        this._fail(error);
      },
    );
  }

  _open({ view, id }) {
    this._shut();
    const over = this._over = this._make('accessory-layer', {});
    const z = Number(own(this._connector.appearance.variables).overlayZIndex);
    over.style({ position: 'fixed', inset: '0', width: '100%', height: '100%', 'z-index': String(Number.isFinite(z) ? z : 2147483000) });
    over.on('close', () => {
      this._shut();
      this._tell('refresh', { focus: true });
      this._call('close', undefined);
    });
    over.on('changed', () => this._tell('refresh', {}));
    for (const name of ['exit', 'stepchange']) over.on(name, (payload) => this._call(name, name === 'exit' ? undefined : payload));
    over.on('loaderror', ({ error }) => this._fail(loadError(error)));
    document.body.append(over.iframe);
    this._start(over, { view, id });
  }

  _shut() {
    if (this._over) this._over.destroy();
    this._over = null;
  }

  _tell(action, payload) {
    if (this._frame) this._frame.send(action, payload);
    if (this._over && action !== 'refresh' && action !== 'props') this._over.send(action, payload);
  }

  _fail(error) {
    const callback = own(this._props).onLoadError;
    if (typeof callback === 'function') callback({ error, elementTagName: this._name });
    else console.error(`[Connect.js] ${this._name}: ${error.message}`);
  }

  _clear() {
    this._shut();
    if (this._frame) this._frame.destroy();
    this._frame = null;
    if (this._connector) this._connector.elements.delete(this);
    this.replaceChildren();
  }

  _leave() {
    this._clear();
  }
}

for (const [name, [, ...settings]] of Object.entries(COMPONENTS)) {
  const Made = class extends Component {
    static get observedAttributes() {
      return Object.keys(ATTRIBUTES);
    }

    get _name() {
      return name;
    }
  };
  for (const setting of [...settings, ...COMMON]) {
    const set = function set(value) {
      this._set(lower(setting), value);
    };
    Made.prototype[`set${setting}`] = set;
    Made.prototype[`set${setting}InternalOnly`] = set;
  }
  if (!customElements.get(`stripe-connect-${name}`)) customElements.define(`stripe-connect-${name}`, Made);
}
