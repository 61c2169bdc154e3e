import { useEffect, useState } from "react";
import { Link } from "react-router-dom";

import { money } from "../../shared/money.ts";
import type { PlanOffer } from "../../shared/types.ts";
import { get } from "../api.ts";
import { useSession } from "../session.tsx";

export function Pricing() {
  const [plans, setPlans] = useState<PlanOffer[]>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    get<{ plans: PlanOffer[] }>("/plans").then(
      (found) => setPlans(found.plans),
      () => setProblem("The plans could not be fetched. Try again in a moment."),
    );
  }, []);
  return (
    <section className="wide">
      <div className="heading">
        <h1>A price for the whole studio</h1>
        <p className="lead">Every plan is for as many members as you like. Raku, with one kiln, costs nothing.</p>
      </div>
      {problem && <p className="problem">{problem}</p>}
      <div className="three">
        {plans?.map((plan) => <Offer plan={plan} key={plan.code} />)}
      </div>
      <p className="quiet centred">Prices include VAT. You can change or end a plan whenever you like.</p>
    </section>
  );
}

function Offer({ plan }: { plan: PlanOffer }) {
  const { me } = useSession();
  const mine = me?.team.plan === plan.code;
  return (
    <article className={mine ? "card offer mine" : "card offer"} data-testid="plan" data-plan={plan.code}>
      <h2>{plan.name}</h2>
      <p className="quiet">{plan.blurb}</p>
      <p className="price">
        <strong data-testid="plan-price">{money(plan.amount, plan.currency)}</strong> a {plan.interval}
      </p>
      <p className="trial">{plan.trialDays > 0 ? `${plan.trialDays} days to try it` : "From the first day"}</p>
      <ul>
        {plan.highlights.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Choose plan={plan} />
    </article>
  );
}

function Choose({ plan }: { plan: PlanOffer }) {
  const { me } = useSession();
  const name = `choose-${plan.code}`;
  if (me?.team.plan) {
    return (
      <Link to="/studio" className="button quiet" data-testid={name}>
        {me.team.plan === plan.code ? "Your plan" : "Change plan"}
      </Link>
    );
  }
  if (me) {
    return (
      <form method="post" action="/api/checkout">
        <input type="hidden" name="plan" value={plan.code} />
        <button className="button" data-testid={name}>
          Choose {plan.name}
        </button>
      </form>
    );
  }
  return (
    <Link to={`/sign-up?plan=${plan.code}`} className="button" data-testid={name}>
      Choose {plan.name}
    </Link>
  );
}
