import { Link, useNavigate, useSearchParams } from "react-router-dom";

import { post } from "../api.ts";
import { Field } from "../parts/Field.tsx";
import { useForm } from "../parts/useForm.ts";
import { useSession } from "../session.tsx";

export function SignUp() {
  const { refresh } = useSession();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const plan = search.get("plan");
  const { submit, busy, problem } = useForm(async (values) => {
    await post("/sign-up", values);
    if (plan) goToCheckout(plan);
    else {
      await refresh();
      await navigate("/studio");
    }
  });
  return (
    <section className="narrow">
      <h1>Open a studio</h1>
      <p className="quiet">{plan ? "An account first, then the plan." : "It takes a minute, and Raku costs nothing."}</p>
      <form onSubmit={(event) => void submit(event)} className="card form" data-testid="sign-up">
        <Field label="Your name" name="name" autoComplete="name" required />
        <Field label="E-mail" name="email" type="email" autoComplete="email" required />
        <Field label="Password" name="password" type="password" autoComplete="new-password" minLength={10} hint="Ten characters or more" required />
        <Field label="Name of the studio" name="team" autoComplete="organization" required />
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <button className="button" disabled={busy}>
          {plan ? "Continue" : "Open the studio"}
        </button>
      </form>
      <p className="quiet centred">
        You have an account? <Link to="/sign-in">Sign in</Link>
      </p>
    </section>
  );
}

/** Send the browser to Stripe's page for a plan, as the button on the pricing page does. */
function goToCheckout(plan: string) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/api/checkout";
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "plan";
  field.value = plan;
  form.append(field);
  document.body.append(form);
  form.submit();
}
