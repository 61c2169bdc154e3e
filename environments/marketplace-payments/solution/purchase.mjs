// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-dab3c9e12219: keep out of training data
// Opens a shop, tells Stripe about it, sells something to a buyer, and looks at the payment, as people would.

import { launch } from "./chromium.mjs";

const ROW = "http://127.0.0.1:4242";
const { page, close } = await launch();
const shows = (text) => page.frame(`document.body.innerText.includes(${JSON.stringify(text)})`, `"${text}" is shown`, 60);
try {
  await page.goto(`${ROW}/sign-up`);
  await page.type('[name="shop"]', "Headband Books");
  await page.choose('[name="country"]', "GB");
  await page.type('[name="email"]', "femke@headband.example");
  await page.type('[name="password"]', "waxed thread and awl");
  await page.click('[data-testid="sign-up"] button');
  await page.visible('[data-testid="tab-payments"]');
  await page.click('[data-testid="tab-payments"]');
  await shows("Tell us about your business");
  await page.click(".component button.primary");
  for (const heading of ["Kind of business", "About the business", "About you", "Where payouts go"]) {
    await shows(heading);
    await page.click(".component form button.primary");
  }
  await shows("Agree and submit");
  await page.click(".component form button.primary");
  await shows("No payments yet");

  await page.click('[data-testid="tab-items"]');
  await page.type('[name="title"]', "Address book in vellum");
  await page.type('[name="description"]', "Limp binding, a tab for each letter.");
  await page.type('[name="price"]', "64.50");
  await page.click('[data-testid="add-item"] button');
  await page.visible('[data-testid="items"] a');
  await page.click('[data-testid="sign-out"]');
  await page.at("/");
  await shows("Open a shop");
  await page.click('[data-testid="market"] a');
  await page.click('[data-testid="buy"]');
  await page.type('[name="email"]', "buyer@example.test");
  await page.type('[name="cardNumber"]', "4242424242424242");
  await page.type('[name="cardExpiry"]', "12 / 34");
  await page.type('[name="cardCvc"]', "123");
  if (await page.has('[name="billingName"]')) await page.type('[name="billingName"]', "Ottilie Brandt");
  if (await page.has('[name="billingPostalCode"]')) await page.type('[name="billingPostalCode"]', "90210");
  await page.click('[data-testid="hosted-payment-submit-button"]');
  await page.visible('[data-testid="order-paid"]');

  await page.goto(`${ROW}/sign-in`);
  await page.type('[name="email"]', "femke@headband.example");
  await page.type('[name="password"]', "waxed thread and awl");
  await page.click('[data-testid="sign-in"] button');
  await page.click('[data-testid="tab-payments"]');
  await shows("64.50");
  await shows("Succeeded");
  console.log("sold and seen");
} finally {
  await close();
}
