// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-f13f165aea65: keep out of training data
// What our pages may load. Nothing comes from elsewhere, but for what Connect.js needs:
// https://docs.stripe.com/connect/get-started-connect-embedded-components (content security policy).
const CONNECT = ["https://connect-js.stripe.com", "https://js.stripe.com"];
const EMPTY_STYLE = "'sha256-0hAheEzaMe6uXIKV4EehS9pu1am1lj/KnnzrOYqckXk='";

export const POLICY = {
  "default-src": ["'none'"],
  "script-src": ["'self'", ...CONNECT],
  "style-src": ["'self'", EMPTY_STYLE],
  "img-src": ["'self'", "https://*.stripe.com"],
  "font-src": ["'self'"],
  "connect-src": ["'self'"],
  "frame-src": CONNECT,
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
};

export function policyHeader(policy = POLICY) {
  return Object.entries(policy).map(([name, sources]) => `${name} ${sources.join(" ")}`).join("; ");
}
