// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-f788ebe0063a: keep out of training data
"use strict";

// Stripe's Checkout, embedded. The server makes the session from the basket; this page only shows it.

const place = document.getElementById("checkout");
const trouble = document.getElementById("trouble");

async function fetchClientSecret() {
  const answer = await fetch(place.dataset.sessionUrl, { method: "POST" });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body.client_secret;
}

(async () => {
  try {
    const stripe = Stripe(place.dataset.publishableKey);
    const checkout = await stripe.initEmbeddedCheckout({ fetchClientSecret });
    checkout.mount(place);
  } catch (error) {
    trouble.textContent = error.message || "Something went wrong. Nothing was charged.";
    trouble.hidden = false;
  }
})();
