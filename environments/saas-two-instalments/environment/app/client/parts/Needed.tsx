/** A page for people who are signed in; the others are asked to sign in. */
import type { ReactNode } from "react";
import { Navigate, useLocation } from "react-router-dom";

import type { Me } from "../../shared/types.ts";
import { useSession } from "../session.tsx";

export function Needed({ children }: { children: (me: Me) => ReactNode }) {
  const { me } = useSession();
  const here = useLocation();
  if (me === undefined) return <p className="narrow quiet">One moment…</p>;
  if (me === null) return <Navigate to={`/sign-in?next=${encodeURIComponent(here.pathname)}`} replace />;
  return <>{children(me)}</>;
}
