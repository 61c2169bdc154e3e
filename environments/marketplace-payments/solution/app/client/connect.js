// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-72dd77d759bc: keep out of training data
// Connect.js for the seller who is signed in.
import { loadConnectAndInitialize } from "@stripe/connect-js";

import { api } from "./api.js";

// Appearance variables of Connect, and the names that the same things have in our brand.
const BRAND = {
  colorPrimary: "accent",
  colorText: "ink",
  colorSecondaryText: "faded-ink",
  colorBackground: "paper",
  offsetBackgroundColor: "sheet",
  colorBorder: "line",
  colorDanger: "alarm",
  fontFamily: "font",
  fontSizeBase: "type-size",
  borderRadius: "corner",
  spacingUnit: "step",
};
let instance = null;

export function openConnect(publishableKey) {
  instance ??= loadConnectAndInitialize({
    publishableKey,
    fetchClientSecret: async () => (await api("POST", "/stripe/account-session")).clientSecret,
    appearance: { variables: brandVariables() },
  });
  return instance;
}

/** Nobody who uses this window later sees what this seller saw. */
export async function closeConnect() {
  const closing = instance;
  instance = null;
  await closing?.logout();
}

function brandVariables() {
  const styles = getComputedStyle(document.documentElement);
  return Object.fromEntries(Object.entries(BRAND).map(([name, token]) => [name, styles.getPropertyValue(`--${token}`).trim()]));
}
