import { useEffect } from "react";
import { useNavigate, useSearchParams } from "react-router-dom";

import { post } from "../api.ts";
import { useSession } from "../session.tsx";

/** Where Checkout brings the buyer back to: the server looks at the session, and then there is the studio. */
export function Return() {
  const { refresh } = useSession();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const session = search.get("session_id") ?? "";
  useEffect(() => {
    void post("/checkout/finish", { session })
      .catch(() => undefined)
      .then(refresh)
      .then(() => navigate("/studio", { replace: true }));
  }, [session, refresh, navigate]);
  return <p className="narrow quiet">Thank you. One moment…</p>;
}
