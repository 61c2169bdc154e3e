// Choose a box, pay for it in an embedded Checkout, and read what became of it.
import { loadStripe } from '@stripe/stripe-js';
import { createApp, nextTick, ref } from 'vue';

const stripe = await loadStripe(document.querySelector('meta[name=key]').content);

createApp({
  setup() {
    const sizes = ['small', 'large'];
    const order = ref(null);
    const result = ref(null);
    let checkout;

    const choose = async (size) => {
      checkout?.destroy();
      const answer = await fetch('/session', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ size }) });
      order.value = await answer.json();
      await nextTick();
      checkout = await stripe.createEmbeddedCheckoutPage({
        fetchClientSecret: async () => order.value.client_secret,
        onComplete: async () => {
          result.value = await (await fetch(`/session/${order.value.id}`)).json();
          checkout.destroy();
        },
      });
      checkout.mount('#checkout');
    };
    return { choose, order, result, sizes };
  },
  template: `
    <main>
      <h1>Box scheme</h1>
      <p v-if="result" id="result">Your order is {{ result.status }} and {{ result.payment_status }}.</p>
      <template v-else>
        <button v-for="size in sizes" :key="size" @click="choose(size)">A {{ size }} box</button>
        <div v-if="order" id="checkout"></div>
      </template>
    </main>`,
}).mount('#app');
