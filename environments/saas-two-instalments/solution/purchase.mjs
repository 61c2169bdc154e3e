// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-baa9a514baa7: keep out of training data
// Signs up as a new studio and buys Porcelain in two instalments, as a person would.

import { launch } from "./chromium.mjs";

const KILNBOOK = "http://127.0.0.1:4242";
const { page, close } = await launch();

async function pay(card) {
  await page.type('[name="cardNumber"]', card);
  await page.type('[name="cardExpiry"]', "12 / 34");
  await page.type('[name="cardCvc"]', "123");
  if (await page.has('[name="billingName"]')) await page.type('[name="billingName"]', "Nell Barrow");
  if (await page.has('[name="billingPostalCode"]')) await page.type('[name="billingPostalCode"]', "90210");
  await page.click('[data-testid="hosted-payment-submit-button"]');
  await page.at("/studio");
}

try {
  await page.goto(`${KILNBOOK}/sign-up`);
  await page.type('[name="name"]', "Nell Barrow");
  await page.type('[name="email"]', "nell@example.test");
  await page.type('[name="password"]', "a kiln full of mugs");
  await page.type('[name="team"]', "Guild of Canal Street");
  await page.click('[data-testid="sign-up"] button');
  await page.at("/studio");
  await page.goto(`${KILNBOOK}/pricing`);
  await page.click('button[data-testid="choose-porcelain"]');
  await pay("4242424242424242");
  await page.click('[data-testid="pay-instalment"]');
  await pay("5555555555554444");
  await page.frame(`document.querySelector('[data-testid="plan-name"]')?.textContent === "Porcelain"`, "the studio has its plan");
  console.log("bought Porcelain");
} finally {
  await close();
}
