// Connect.js as Stripe serves it, for the seller who is signed in.
import { api } from "./api.js";

const SCRIPT = "https://connect-js.stripe.com/v1.0/connect.js";
let loading;
let instance;

function stripeConnect() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.async = true;
    script.onload = () => resolve(window.StripeConnect);
    script.onerror = () => reject(new Error("Stripe's script could not be loaded."));
    document.head.append(script);
  });
  return loading;
}

// What the brand's variables come to, as this browser computes them.
function look() {
  const probe = document.createElement("i");
  document.body.append(probe);
  const computed = (property, token) => {
    probe.style.setProperty(property, `var(--${token})`);
    return getComputedStyle(probe).getPropertyValue(property);
  };
  const colour = (token) => computed("color", token);
  const variables = {
    colorPrimary: colour("accent"), colorText: colour("ink"), colorSecondaryText: colour("faded-ink"), colorBackground: colour("paper"),
    offsetBackgroundColor: colour("sheet"), colorBorder: colour("line"), colorDanger: colour("alarm"), fontFamily: computed("font-family", "font"),
    fontSizeBase: computed("font-size", "type-size"), borderRadius: computed("border-top-left-radius", "corner"), spacingUnit: computed("padding-top", "step"),
  };
  probe.remove();
  return variables;
}

export async function openConnect(publishableKey) {
  const { init } = await stripeConnect();
  instance ??= init({
    publishableKey,
    fetchClientSecret: () => api("POST", "/stripe/account-session").then((answer) => answer.clientSecret),
    appearance: { variables: look() },
    metaOptions: { sdk: false },
  });
  return instance;
}

export const closeConnect = () => instance?.logout();
