"use strict";

// Stripe's Checkout, embedded: ask the server for a session, then put it on the page.

const place = document.querySelector("[data-testid=checkout]");

window.addEventListener("DOMContentLoaded", async () => {
  const answer = await fetch("/checkout/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  const { client_secret: clientSecret, error } = await answer.json();
  if (error) {
    place.textContent = error;
    return;
  }
  const checkout = await Stripe(place.dataset.publishableKey).initEmbeddedCheckout({ clientSecret });
  checkout.mount(place);
});
