// --- where things are -------------------------------------------------------------------------------------------
// Joined with its neighbours and with the frames of Stripe.js into one script (see pages/assets.py); RELEASE and BUILD
// come before them.

const SCRIPT = document.currentScript ? document.currentScript.src : '';
const JS_ORIGIN = SCRIPT ? new URL(SCRIPT).origin : 'https://connect-js.stripe.com';
const frameUrl = (name) => `${JS_ORIGIN}/${RELEASE}/${name}-${BUILD}.html`;

let counter = 0;
const randomDigits = () => {
  counter += 1;
  return `${1000 + ((Date.now() + counter * 7919) % 9000)}${counter}`;
};
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const own = (value) => (isObject(value) ? value : {});
