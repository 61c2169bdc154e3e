"use strict";

// Card Element on our own form. The order is written down by the server when "Pay" is pressed the
// first time; after a declined card the same payment is tried again with the next card.

const form = document.getElementById("pay");
const button = document.getElementById("pay-button");
const trouble = document.getElementById("trouble");

const stripe = Stripe(form.dataset.publishableKey);
const card = stripe.elements({ locale: "en" }).create("card", {
  hidePostalCode: true,
  style: {
    base: { fontSize: "17px", color: "#33241a", "::placeholder": { color: "#8b7867" } },
    invalid: { color: "#a3311b" },
  },
});
card.mount("#card");

let clientSecret = null;

function say(message) {
  trouble.textContent = message;
  trouble.hidden = !message;
}

card.on("change", (event) => say(event.error ? event.error.message : ""));
form.addEventListener("input", () => { clientSecret = null; });

async function startPayment() {
  const fields = Object.fromEntries(new FormData(form));
  const answer = await fetch(form.dataset.intentUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body.client_secret;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  say("");
  if (!form.reportValidity()) return;
  button.disabled = true;
  try {
    clientSecret = clientSecret || (await startPayment());
    const result = await stripe.confirmCardPayment(clientSecret, {
      payment_method: { card, billing_details: { email: form.elements.email.value } },
    });
    if (result.error) throw new Error(result.error.message);
    const target = new URL(form.dataset.completeUrl, window.location.href);
    target.searchParams.set("payment_intent", result.paymentIntent.id);
    window.location.assign(target);
  } catch (error) {
    say(error.message || "Something went wrong. Nothing was charged.");
    button.disabled = false;
  }
});
