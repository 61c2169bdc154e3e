/** A labelled field of a form. */
import type { InputHTMLAttributes } from "react";

type Props = InputHTMLAttributes<HTMLInputElement> & { label: string; name: string; hint?: string };

export function Field({ label, name, hint, ...rest }: Props) {
  return (
    <label className="field">
      <span>{label}</span>
      <input name={name} id={name} {...rest} />
      {hint && <small>{hint}</small>}
    </label>
  );
}
