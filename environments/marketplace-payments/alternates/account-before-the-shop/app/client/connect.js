// Connect.js for the seller who is signed in; `pure` loads nothing before somebody opens the tab.
import { loadConnectAndInitialize } from "@stripe/connect-js/pure";

import { api } from "./api.js";

let open = null;

async function clientSecret() {
  const { clientSecret: secret } = await api("POST", "/stripe/account-session", {});
  return secret;
}

/** A new instance, with a session for what is to be shown now. */
export async function showComponent(name, place, { settings, onExit, onProblem }) {
  await closeConnect();
  open = loadConnectAndInitialize({ publishableKey: settings.publishableKey, fetchClientSecret: clientSecret, appearance: { overlays: "dialog", variables: settings.look } });
  const element = open.create(name);
  element.setOnLoadError(({ error }) => onProblem(error.message ?? "It cannot be shown."));
  if (onExit) element.setOnExit(onExit);
  place.replaceChildren(element);
}

export async function closeConnect() {
  const before = open;
  open = null;
  if (before) await before.logout();
}
