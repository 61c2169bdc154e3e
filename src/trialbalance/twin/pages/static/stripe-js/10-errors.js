
// --- wrong use --------------------------------------------------------------------------------------------------

class IntegrationError extends Error {
  constructor(message) {
    super(message);
    this.name = 'IntegrationError';
  }
}

const misuse = (message) => {
  throw new IntegrationError(message);
};

const wrong = (where, expected, value) =>
  misuse(`Invalid value for ${where}: ${expected}. You specified: ${describe(value)}.`);

function describe(value) {
  if (value === undefined) return 'undefined';
  if (typeof value === 'function') return 'a function';
  if (value && typeof value === 'object' && value.nodeType) return 'a DOM element';
  try {
    return JSON.stringify(value);
  } catch {
    return typeof value;
  }
}

function checkKey(key) {
  if (key === undefined || key === null || key === '') misuse('Missing value for Stripe(): apiKey should be a string.');
  if (typeof key !== 'string') wrong('Stripe()', 'apiKey should be a string', key);
  if (/^(sk|rk)_/.test(key)) {
    misuse(
      'You should not use your secret key with Stripe.js. A secret key in a browser lets anybody act on the account: '
        + 'roll it now, and pass the publishable key (it starts with pk_) instead.',
    );
  }
  if (/^pk_live_/.test(key)) misuse('Live keys are refused: this is a test-mode twin. Use a key that starts with pk_test_.');
  if (!/^pk_test_/.test(key)) wrong('Stripe()', 'apiKey should be a publishable key that starts with pk_test_', key);
}

// `pi_123_secret_abc` -> `pi_123`, or an IntegrationError that names the method.
function intentId(secret, kind, method) {
  const name = kind === 'pi' ? 'PaymentIntent' : 'SetupIntent';
  const prefix = kind === 'pi' ? 'pi' : 'seti';
  if (typeof secret !== 'string') wrong(`stripe.${method} intent secret`, `value should be a client secret of the form \${id}_secret_\${secret}`, secret);
  const match = new RegExp(`^(${prefix}_[A-Za-z0-9]+)_secret_[A-Za-z0-9_-]+$`).exec(secret);
  if (!match) {
    misuse(
      `Invalid value for stripe.${method} intent secret: value should be a client secret of a ${name}, `
        + `of the form \${id}_secret_\${secret}. You specified: ${secret}.`,
    );
  }
  return match[1];
}

const errorOf = (problem) =>
  problem && problem.error ? problem.error : { type: 'api_error', message: String((problem && problem.message) || problem) };
