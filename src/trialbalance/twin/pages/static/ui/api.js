// Calls to the API as a browser makes them: publishable key, form encoding, one JSON answer.

import { hosts } from './hosts.js';

export function encode(value, prefix = '', out = new URLSearchParams()) {
  if (value === undefined || value === null) return out;
  if (Array.isArray(value)) {
    value.forEach((item, i) => encode(item, `${prefix}[${i}]`, out));
  } else if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) encode(item, prefix ? `${prefix}[${key}]` : key, out);
  } else {
    out.append(prefix, String(value));
  }
  return out;
}

export class Api {
  constructor({ key, account, version, page }) {
    this.key = key;
    this.account = account;
    this.version = version;
    this.page = page;
  }

  // Resolves to the object; rejects with an ApiError that holds the API's `error` hash.
  async call(method, path, params = {}) {
    const form = encode(params);
    form.set('key', this.key);
    if (this.account) form.set('_stripe_account', this.account);
    if (this.version) form.set('_stripe_version', this.version);
    const read = method === 'GET';
    let response;
    try {
      response = await fetch(`${hosts.api}${path}${read ? `?${form}` : ''}`, {
        method,
        headers: {
          'X-Trialbalance-Page': this.page,
          ...(read ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        body: read ? undefined : form.toString(),
        credentials: 'omit',
        keepalive: !read && form.toString().length < 30000,
      });
    } catch {
      throw new ApiError({ type: 'api_connection_error', message: 'connection' }, 0);
    }
    const body = await response.json().catch(() => ({}));
    if (!response.ok) throw new ApiError(body.error ?? { type: 'api_error', message: 'unknown' }, response.status);
    return body;
  }
}

export class ApiError extends Error {
  constructor(error, status) {
    super(error.message);
    this.error = error;
    this.status = status;
  }
}
