import { Link, useNavigate, useSearchParams } from "react-router-dom";

import { post } from "../api.ts";
import { Field } from "../parts/Field.tsx";
import { useForm } from "../parts/useForm.ts";
import { useSession } from "../session.tsx";

export function SignIn() {
  const { refresh } = useSession();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const wanted = search.get("next") ?? "/studio";
  const next = /^\/(?!\/)/.test(wanted) ? wanted : "/studio";
  const { submit, busy, problem } = useForm(async (values) => {
    await post("/sign-in", values);
    await refresh();
    await navigate(next);
  });
  return (
    <section className="narrow">
      <h1>Welcome back</h1>
      <form onSubmit={(event) => void submit(event)} className="card form" data-testid="sign-in">
        <Field label="E-mail" name="email" type="email" autoComplete="email" required />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <button className="button" disabled={busy}>
          Sign in
        </button>
      </form>
      <p className="quiet centred">
        New here? <Link to="/sign-up">Open a studio</Link>
      </p>
    </section>
  );
}
