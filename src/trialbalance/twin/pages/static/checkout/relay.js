// Shipping details that only the merchant's server may write: the page around the frame is told and answers.
// Source: https://docs.stripe.com/payments/checkout/custom-shipping-options

export class ShippingRelay {
  constructor(channel, session) {
    Object.assign(this, { channel, session });
    this.said = '';
    this.answer = Promise.resolve(null);
    this.waiting = new Map();
    channel.on('shippingDetailsChangeResult', ({ ask, answer }) => {
      this.waiting.get(ask)?.(answer);
      this.waiting.delete(ask);
    });
  }

  // Resolves to null when the server took the details, else to why not. The same details are told once.
  tell(details) {
    const text = JSON.stringify(details);
    if (text === this.said) return this.answer;
    this.said = text;
    const ask = `ask${this.waiting.size}-${text.length}-${Math.floor(performance.now())}`;
    this.answer = new Promise((resolve) => {
      this.waiting.set(ask, resolve);
      this.channel.emit('shippingDetailsChange', { ask, session: this.session, shippingDetails: details });
    }).then((answer) => (answer?.type === 'accept' ? null : answer?.errorMessage || 'This address cannot be used.'));
    return this.answer;
  }
}
