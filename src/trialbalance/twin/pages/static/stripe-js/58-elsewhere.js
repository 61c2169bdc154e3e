
// --- what this twin has not built -------------------------------------------------------------------------------------

// Methods of products the twin leaves out: they exist, and say so by name.
const ELSEWHERE = {
  collectBankAccountToken: 'Financial Connections',
  collectFinancialConnectionsAccounts: 'Financial Connections',
  createEphemeralKeyNonce: 'Issuing',
  initCustomCheckout: 'the closed beta of 2024 (initCheckout is its name today)',
  initializePricing: 'Pricing',
  processOrder: 'Orders',
  retrieveOrder: 'Orders',
  verifyIdentity: 'Identity',
};
for (const [name, product] of Object.entries(ELSEWHERE)) {
  methods[name] = function elsewhere() {
    return misuse(`stripe.${name}() belongs to ${product}, which is not built in this twin.`);
  };
}
