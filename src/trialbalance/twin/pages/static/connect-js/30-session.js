// --- the account session ------------------------------------------------------------------------------------------
// One Connector per StripeConnect.init(): it claims the session, keeps it fresh, and knows every component it serves.

const TYPES = new Set(['api_connection_error', 'rate_limit_error', 'invalid_request_error', 'account_session_create_error']);

const loadError = (error) => {
  const given = own(error);
  const type = given.code === 'rate_limit' ? 'rate_limit_error' : given.type;
  return { type: TYPES.has(type) ? type : 'api_error', message: given.message || 'Something went wrong.' };
};

const wrong = (message) => {
  const error = new Error(message);
  error.name = 'IntegrationError';
  throw error;
};

class Connector {
  constructor(params) {
    this.params = params;
    this.elements = new Set();
    this.closed = false;
    this.appearance = own(params.appearance);
    this.locale = params.locale;
    this.displayOptions = own(params.displayOptions);
    this.controller = new Controller({ apiKey: params.publishableKey });
    this.claim(own(params.metaOptions).eagerClientSecretPromise);
  }

  // The package of 2023 makes elements with the instance's `connect`, by their whole names.
  create(name) {
    const short = String(name).replace(/^stripe-connect-/, '');
    if (!COMPONENTS[short]) wrong(`There is no component "${name}". Components are: ${Object.keys(COMPONENTS).join(', ')}.`);
    const element = document.createElement(`stripe-connect-${short}`);
    element.setConnector(this);
    return element;
  }

  // Sites of 2023 gave the first secret itself, and a function for those after it.
  fetch() {
    const { fetchClientSecret, clientSecret, refreshClientSecret } = this.params;
    if (fetchClientSecret) return fetchClientSecret();
    if (this.claimed && refreshClientSecret) return refreshClientSecret();
    return clientSecret;
  }

  claim(eager) {
    const claimed = this.open(eager);
    claimed.catch(() => {});
    this.claimed = claimed;
    return claimed;
  }

  async open(eager) {
    let secret;
    try {
      secret = await (eager || this.fetch());
    } catch (problem) {
      throw { type: 'account_session_create_error', message: `fetchClientSecret failed: ${(problem && problem.message) || problem}` };
    }
    if (typeof secret !== 'string' || !secret) {
      throw { type: 'account_session_create_error', message: 'fetchClientSecret should resolve to the client secret of an account session.' };
    }
    try {
      return await this.controller.api('POST', '/v1/account_sessions/claim', { client_secret: secret });
    } catch (problem) {
      throw loadError(problem.error);
    }
  }

  // A frame found the session expired: ask the site for another one, once for all frames.
  renew(token) {
    this.renewing = this.renewing || this.claimed.then((old) => (old.token === token ? this.claim() : old)).then(
      (session) => this.elements.forEach((element) => element._tell('session', { session })),
      (error) => this.elements.forEach((element) => element._fail(loadError(error))),
    ).then(() => {
      this.renewing = null;
    });
  }

  look() {
    return { appearance: this.appearance, locale: this.locale, displayOptions: this.displayOptions };
  }

  update(options) {
    const given = own(options);
    if (given.appearance) {
      this.appearance = {
        ...this.appearance,
        ...given.appearance,
        variables: { ...own(this.appearance.variables), ...own(given.appearance.variables) },
      };
    }
    if (given.locale) this.locale = given.locale;
    if (given.displayOptions) this.displayOptions = { ...this.displayOptions, ...given.displayOptions };
    this.elements.forEach((element) => element._tell('look', this.look()));
  }

  async logout() {
    if (this.closed) return;
    this.closed = true;
    const session = await this.claimed.catch(() => null);
    if (session) await this.controller.api('POST', '/v1/account_sessions/close', { session: session.token }).catch(() => {});
    [...this.elements].forEach((element) => element._leave());
  }
}
