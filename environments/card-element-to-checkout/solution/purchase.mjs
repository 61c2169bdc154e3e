// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-7113568f362c: keep out of training data
// Buys one of everything with the code EARLYBED, as a shopper would.

import { launch } from "./chromium.mjs";

const SHOP = "http://127.0.0.1:4242";
const { page, close } = await launch();
try {
  await page.goto(`${SHOP}/`);
  const front = await page.frame('document.querySelector("[data-testid=product]")', "the shelves are shown");
  const skus = await page.run('[...document.querySelectorAll("[data-testid=product]")].map((card) => card.dataset.sku)', front);
  for (const sku of skus) {
    await page.goto(`${SHOP}/product/${sku}`);
    await page.click("[data-testid=add]");
    await page.at("/basket");
  }
  await page.type("#code", "EARLYBED");
  await page.click('form[action="/basket/code"] button');
  await page.visible('[data-testid="discount"]');

  await page.click('[data-testid="to-checkout"]');
  await page.visible('[name="cardNumber"]');
  await page.type('[name="email"]', "orla@example.test");
  await page.type('[name="shippingName"]', "Orla Tiernan");
  await page.choose('[name="shippingCountry"]', "FR");
  await page.type('[name="shippingAddressLine1"]', "12 rue des Sillons");
  await page.type('[name="shippingPostalCode"]', "35000");
  await page.type('[name="shippingLocality"]', "Rennes");
  await page.type('[name="cardNumber"]', "4242424242424242");
  await page.type('[name="cardExpiry"]', "12 / 34");
  await page.type('[name="cardCvc"]', "123");
  if (await page.has('[name="billingName"]')) await page.type('[name="billingName"]', "Orla Tiernan");
  if (await page.has('[name="billingPostalCode"]')) await page.type('[name="billingPostalCode"]', "35000");
  await page.click('[data-testid="hosted-payment-submit-button"]');
  await page.at("/receipt/");
  console.log(`bought ${skus.length} products`);
} finally {
  await close();
}
