/** Sending a form once, and saying what was wrong with it. */
import { useState, type FormEvent } from "react";

export function useForm(send: (values: Record<string, string>) => Promise<void>) {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values: Record<string, string> = {};
    new FormData(form).forEach((value, name) => (values[name] = String(value)));
    setBusy(true);
    setProblem("");
    try {
      await send(values);
      form.reset();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "This did not work.");
    } finally {
      setBusy(false);
    }
  };
  return { submit, busy, problem };
}
