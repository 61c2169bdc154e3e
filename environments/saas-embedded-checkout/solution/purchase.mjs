// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-876d40d2cc31: keep out of training data
// Signs up as a new studio and buys Stoneware with the code FIRSTFIRE, as a person would; prints the session's id.

import { launch } from "./chromium.mjs";

const KILNBOOK = "http://127.0.0.1:4242";
const { page, close } = await launch();
try {
  await page.goto(`${KILNBOOK}/pricing`);
  await page.click('[data-testid="choose-stoneware"]');
  await page.type('[name="name"]', "Nell Barrow");
  await page.type('[name="email"]', "nell@example.test");
  await page.type('[name="password"]', "a kiln full of mugs");
  await page.type('[name="team"]', "Canal Street Potters");
  await page.click('[data-testid="sign-up"] button');
  await page.at("/checkout/stoneware");
  await page.visible('[name="cardNumber"]');
  if (!(await page.has('[name="promotionCode"]'))) await page.click('[data-testid="promotion-code-open"]');
  await page.type('[name="promotionCode"]', "FIRSTFIRE");
  await page.click('[data-testid="promotion-code-apply"]');
  await page.frame('document.body.innerText.includes("25% off")', "the code counts");
  await page.type('[name="cardNumber"]', "4242424242424242");
  await page.type('[name="cardExpiry"]', "12 / 34");
  await page.type('[name="cardCvc"]', "123");
  if (await page.has('[name="billingName"]')) await page.type('[name="billingName"]', "Nell Barrow");
  if (await page.has('[name="billingPostalCode"]')) await page.type('[name="billingPostalCode"]', "90210");
  await page.click('[data-testid="hosted-payment-submit-button"]');
  await page.at("/studio");
  await page.frame(`document.querySelector('[data-testid="plan-name"]')?.textContent === "Stoneware"`, "the studio has its plan");
  console.log("bought Stoneware");
} finally {
  await close();
}
