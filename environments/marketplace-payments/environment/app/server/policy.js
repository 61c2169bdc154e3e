// What our pages may load. Nothing comes from elsewhere.
export const POLICY = {
  "default-src": ["'none'"],
  "script-src": ["'self'"],
  "style-src": ["'self'"],
  "img-src": ["'self'"],
  "font-src": ["'self'"],
  "connect-src": ["'self'"],
  "frame-src": ["'none'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
};

export function policyHeader(policy = POLICY) {
  return Object.entries(policy).map(([name, sources]) => `${name} ${sources.join(" ")}`).join("; ");
}
