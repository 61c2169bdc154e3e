
// --- where things are -------------------------------------------------------------------------------------------
// This file and its neighbours are joined into one script (see pages/assets.py); RELEASE and BUILD come before them.

const VERSIONS = {
  acacia: '2024-09-30.acacia',
  basil: '2025-03-31.basil',
  clover: '2025-09-30.clover',
  dahlia: '2026-03-25.dahlia',
  endive: '2026-09-30.endive',
};
// `Stripe.version`: a number for the evergreen script, a name for releases.
const PUBLIC_VERSION = RELEASE === 'v3' ? 3 : RELEASE;
const ORDER = ['v3', 'acacia', 'basil', 'clover', 'dahlia', 'endive'];
const since = (release) => RELEASE === 'v3' || ORDER.indexOf(RELEASE) >= ORDER.indexOf(release);
const before = (release) => RELEASE === 'v3' || ORDER.indexOf(RELEASE) < ORDER.indexOf(release);

const SCRIPT = document.currentScript ? document.currentScript.src : '';
const JS_ORIGIN = SCRIPT ? new URL(SCRIPT).origin : 'https://js.stripe.com';
const ON_STRIPE = /(^|\.)stripe\.com$/.test(new URL(JS_ORIGIN).hostname);
const CHECKOUT_ORIGIN = ON_STRIPE ? 'https://checkout.stripe.com' : JS_ORIGIN;
const frameUrl = (name) => `${JS_ORIGIN}/v3/${name}-${BUILD}.html`;

let counter = 0;
const randomDigits = () => {
  counter += 1;
  return `${1000 + ((Date.now() + counter * 7919) % 9000)}${counter}`;
};
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const own = (value) => (isObject(value) ? value : {});
