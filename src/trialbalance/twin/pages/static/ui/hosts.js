// Where the API, the pages and the beacon are. On the stripe.com names each has its own host; everywhere else
// one server answers everything, so its own origin serves.

const onStripe = location.hostname === 'stripe.com' || location.hostname.endsWith('.stripe.com');

const at = (name) => (onStripe ? `https://${name}.stripe.com` : location.origin);

export const hosts = {
  api: at('api'),
  beacon: at('r'),
  checkout: at('checkout'),
  hooks: at('hooks'),
  js: at('js'),
};

// What the server wrote into the document.
export const note = JSON.parse(document.getElementById('note')?.textContent || '{}');

// What the opener wrote behind the `#`.
export const hash = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
