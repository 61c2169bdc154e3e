/** What is around every page. */
import { Link, NavLink, Outlet, useNavigate } from "react-router-dom";

import { post } from "../api.ts";
import { useSession } from "../session.tsx";

export function Frame() {
  const { me, refresh } = useSession();
  const navigate = useNavigate();
  const signOut = async () => {
    await post("/sign-out");
    await refresh();
    await navigate("/");
  };
  return (
    <>
      <header className="top">
        <div className="bar">
          <Link to="/" className="brand">
            <img src="/mark.svg" alt="" width="30" height="30" />
            Kilnbook
          </Link>
          <nav aria-label="Main">
            <NavLink to="/pricing">Pricing</NavLink>
            {me ? (
              <>
                <NavLink to="/studio">Studio</NavLink>
                <NavLink to="/activity">Activity</NavLink>
                <button type="button" className="plain" onClick={() => void signOut()}>
                  Sign out
                </button>
              </>
            ) : (
              me === null && (
                <>
                  <NavLink to="/sign-in">Sign in</NavLink>
                  <Link to="/sign-up" className="button small">
                    Open a studio
                  </Link>
                </>
              )
            )}
          </nav>
        </div>
      </header>
      <main>
        <Outlet />
      </main>
      <footer className="bottom">
        <div className="bar">
          <span>Kilnbook, made by Ashglaze Software, Stoke Newbury</span>
          <span>Firing logs, kiln schedules and shelf bookings for shared pottery studios</span>
        </div>
      </footer>
    </>
  );
}
