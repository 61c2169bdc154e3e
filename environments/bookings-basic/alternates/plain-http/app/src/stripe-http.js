'use strict';

// Stripe over plain HTTP. Errors carry `status` and Stripe's own error as `stripe`; no answer at all is status 0.

const VERSION = '2024-06-20';
const TRIES = 3;

class StripeTrouble extends Error {
  constructor(status, stripe) {
    super(stripe.message || `Stripe answered ${status}`);
    this.status = status;
    this.stripe = stripe;
  }
}

function pairs(value, prefix = '') {
  return Object.entries(value).flatMap(([key, item]) => {
    const name = prefix ? `${prefix}[${key}]` : key;
    if (item === undefined || item === null) return [];
    return typeof item === 'object' ? pairs(item, name) : [[name, String(item)]];
  });
}

function client(secretKey) {
  async function once(method, path, params, key) {
    const form = new URLSearchParams(pairs(params)).toString();
    const query = method === 'GET' && form ? `?${form}` : '';
    let response;
    try {
      response = await fetch(`https://api.stripe.com/v1/${path}${query}`, {
        method,
        headers: {
          authorization: `Bearer ${secretKey}`,
          'stripe-version': VERSION,
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(key && { 'idempotency-key': key }),
        },
        body: method === 'POST' ? form : undefined,
        signal: AbortSignal.timeout(15_000),
      });
      const body = await response.json();
      if (response.ok) return body;
      throw new StripeTrouble(response.status, body.error || {});
    } catch (error) {
      if (error instanceof StripeTrouble) throw error;
      throw new StripeTrouble(0, { message: 'no answer' });
    }
  }

  async function ask(method, path, params = {}, key = undefined) {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await once(method, path, params, key);
      } catch (error) {
        const mayPass = error.status === 0 || error.status === 409 || error.status === 429 || error.status >= 500;
        if (!mayPass || left === 0 || (method === 'POST' && !key)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200 * (TRIES - left)));
      }
    }
  }

  return {
    get: (path, params) => ask('GET', path, params),
    post: (path, params, key) => ask('POST', path, params, key),
    remove: (path) => ask('DELETE', path),
  };
}

module.exports = { StripeTrouble, client };
