// --- StripeConnect --------------------------------------------------------------------------------------------------

const init = (params) => {
  const given = own(params);
  const { publishableKey: key } = given;
  if (typeof key !== 'string' || !key) wrong('StripeConnect.init needs a publishableKey.');
  if (/^(sk|rk)_/.test(key)) {
    wrong('You should not use your secret key with Connect.js. Anyone who opens this page can read it. Use a publishable key, pk_….');
  }
  if (!/^pk_/.test(key)) wrong(`Invalid publishable key: ${key.slice(0, 8)}…`);
  if (typeof given.fetchClientSecret !== 'function' && typeof given.clientSecret !== 'string') wrong('StripeConnect.init needs fetchClientSecret, a function that resolves to a client secret.');
  if (given.fonts && given.fonts.length) console.warn('[Connect.js] The twin loads nothing from other sites: `fonts` change nothing here.');
  const connector = new Connector(given);
  const instance = {
    connect: connector,
    create: (name) => connector.create(name),
    update: (options) => connector.update(options),
    logout: () => connector.logout(),
    debugInstance: () => Promise.resolve(instance),
  };
  return instance;
};

// A site may have put an object with `onLoad` there before the script came.
const before = isObject(window.StripeConnect) ? window.StripeConnect : {};
if (typeof before.init === 'function') console.warn('Connect.js was loaded more than once; the first copy stays in use.');
else {
  window.StripeConnect = before;
  before.init = init;
  if (typeof before.onLoad === 'function') before.onLoad();
}
