// The browser's half: ask the shop for a PaymentIntent, show the Payment Element, confirm.
const stripe = Stripe(document.body.dataset.key);
const form = document.getElementById('payment');
const message = document.getElementById('message');
let elements;

for (const button of document.querySelectorAll('.buy')) {
  button.addEventListener('click', async () => {
    const answer = await fetch(`/pay/${button.dataset.item}`, { method: 'POST' });
    const { client_secret: clientSecret } = await answer.json();
    elements = stripe.elements({ clientSecret });
    document.getElementById('element').replaceChildren();
    elements.create('payment').mount('#element');
    form.hidden = false;
  });
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  message.textContent = '';
  const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: `${location.origin}/thanks` } });
  message.textContent = error.message; // on success the browser has left already
});
