import { Link } from "react-router-dom";

const POINTS = [
  ["Firing logs", "Cone, curve, who loaded it and what came out. Written down once, found for ever."],
  ["Kiln schedules", "Bisque on Tuesdays, glaze on Fridays, and nobody opens the door at 400 °C any more."],
  ["Shelf bookings", "Members book half a shelf from the sofa, and the waiting list moves up by itself."],
] as const;

const LOG = [
  ["Big Bertha", "Glaze, cone 6", "1222 °C", "Fri 18:40"],
  ["Tin Lizzie", "Bisque, cone 04", "1060 °C", "Tue 21:15"],
  ["The Oven", "Raku", "987 °C", "Sun 14:05"],
] as const;

export function Landing() {
  return (
    <>
      <section className="hero">
        <div className="wide split">
          <div>
            <p className="eyebrow">For shared pottery studios</p>
            <h1>One book for every kiln, and every pot that goes through it.</h1>
            <p className="lead">
              Kilnbook keeps the firing log, the kiln schedule and the shelf bookings of your studio in one place, so that the only
              thing that cracks under pressure is the clay.
            </p>
            <p className="actions">
              <Link to="/sign-up" className="button">
                Open a studio
              </Link>
              <Link to="/pricing" className="button quiet">
                See what it costs
              </Link>
            </p>
          </div>
          <div className="card log" aria-hidden="true">
            <h3>This week’s firings</h3>
            <table>
              <tbody>
                {LOG.map(([kiln, what, peak, when]) => (
                  <tr key={kiln}>
                    <td>
                      <strong>{kiln}</strong>
                      <br />
                      {what}
                    </td>
                    <td>{peak}</td>
                    <td>{when}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <svg viewBox="0 0 320 90" role="presentation">
              <path d="M0 84 C40 80 60 60 110 50 S190 18 215 10 L238 10 C255 30 280 66 320 80" fill="none" stroke="#b4532a" strokeWidth="3" />
              <path d="M0 84 C40 80 60 60 110 50 S190 18 215 10 L238 10 C255 30 280 66 320 80 L320 90 L0 90Z" fill="#b4532a" opacity=".1" />
            </svg>
          </div>
        </div>
      </section>
      <section className="wide three">
        {POINTS.map(([name, words]) => (
          <article className="card" key={name}>
            <h3>{name}</h3>
            <p>{words}</p>
          </article>
        ))}
      </section>
    </>
  );
}
