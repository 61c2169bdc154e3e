// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-940cded100e1: keep out of training data
// Who is signed in, for all pages.
import { reactive } from "vue";

import { api } from "./api.js";
import { closeConnect } from "./connect.js";

export const session = reactive({ seller: null, known: false });

export async function whoIsThere() {
  if (!session.known) {
    session.seller = (await api("GET", "/me")).seller;
    session.known = true;
  }
  return session.seller;
}

async function enter(path, form) {
  session.seller = (await api("POST", path, form)).seller;
  session.known = true;
}

export const signUp = (form) => enter("/sign-up", form);
export const signIn = (form) => enter("/sign-in", form);

export async function signOut() {
  await closeConnect();
  await api("POST", "/sign-out");
  session.seller = null;
}
