// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0843534a0d98: keep out of training data
import { EmbeddedCheckout, EmbeddedCheckoutProvider } from "@stripe/react-stripe-js";
import { loadStripe, type Stripe } from "@stripe/stripe-js";
import { useCallback, useEffect, useState } from "react";
import { Link, useParams } from "react-router-dom";

import { money } from "../../shared/money.ts";
import type { Me, PlanOffer } from "../../shared/types.ts";
import { get, post } from "../api.ts";
import { Needed } from "../parts/Needed.tsx";

let loading: Promise<Stripe | null> | undefined;

/** Stripe's script, loaded once. */
function loaded(): Promise<Stripe | null> {
  loading ??= get<{ publishableKey: string }>("/checkout/key").then(({ publishableKey }) => loadStripe(publishableKey));
  return loading;
}

export function Checkout() {
  return <Needed>{(me) => <Buy me={me} />}</Needed>;
}

function Buy({ me }: { me: Me }) {
  const { plan: code = "" } = useParams();
  const [plans, setPlans] = useState<PlanOffer[]>();
  const [stripe, setStripe] = useState<Stripe | null>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const failed = () => setProblem("Checkout could not be opened. Try again in a moment.");
    get<{ plans: PlanOffer[] }>("/plans").then((found) => setPlans(found.plans), failed);
    loaded().then(setStripe, failed);
  }, []);
  const fetchClientSecret = useCallback(async () => {
    try {
      return (await post<{ clientSecret: string }>("/checkout/session", { plan: code })).clientSecret;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "Checkout could not be opened.");
      throw error;
    }
  }, [code]);
  const plan = plans?.find((one) => one.code === code);
  const unknown = plans && !plan ? "There is no such plan." : "";
  const refused = me.user.role === "owner" ? problem || unknown : "Only the owners of a studio can choose its plan.";
  return (
    <section className="wide">
      <div className="heading left">
        <p className="eyebrow">{me.team.name}</p>
        <h1>{plan ? `${plan.name} for your studio` : "Choose a plan"}</h1>
        {plan && (
          <p className="lead">
            {money(plan.amount, plan.currency)} a {plan.interval}. You stay on Kilnbook; Stripe takes care of the card.
          </p>
        )}
      </div>
      {refused && (
        <p className="problem" role="alert">
          {refused} <Link to="/pricing">Back to the plans</Link>
        </p>
      )}
      {!refused && plan && stripe && (
        <div className="card checkout" data-testid="checkout">
          <EmbeddedCheckoutProvider stripe={stripe} options={{ fetchClientSecret }}>
            <EmbeddedCheckout />
          </EmbeddedCheckoutProvider>
        </div>
      )}
      {!refused && !(plan && stripe) && <p className="quiet">One moment…</p>}
    </section>
  );
}
