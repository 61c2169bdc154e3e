import { useEffect, useState } from "react";

import type { Action, Activity as Entry } from "../../shared/types.ts";
import { get } from "../api.ts";
import { Needed } from "../parts/Needed.tsx";

const WORDS: Record<Action, (entry: Entry) => string> = {
  "studio.opened": ({ detail }) => `opened the studio ${detail}`,
  "member.added": ({ detail }) => `added ${detail}`,
  "signed.in": () => "signed in",
  "kiln.added": ({ detail }) => `added the kiln ${detail}`,
  "plan.started": ({ detail }) => `The plan ${detail} began`,
  "plan.changed": ({ detail }) => `The plan was changed to ${detail}`,
  "plan.ended": () => "The plan ended",
};

const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function Activity() {
  return <Needed>{() => <Log />}</Needed>;
}

function Log() {
  const [entries, setEntries] = useState<Entry[]>();
  useEffect(() => {
    get<{ activity: Entry[] }>("/activity").then((found) => setEntries(found.activity), () => setEntries([]));
  }, []);
  return (
    <section className="middle">
      <div className="heading left">
        <p className="eyebrow">Studio</p>
        <h1>Activity</h1>
      </div>
      <article className="card">
        <ul className="rows">
          {entries?.map((entry) => (
            <li key={entry.id} data-testid="activity" data-action={entry.action}>
              <span className={`dot ${entry.action.split(".")[0]}`} aria-hidden="true" />
              <span>
                {entry.who && <strong>{entry.who} </strong>}
                {WORDS[entry.action]?.(entry) ?? entry.action}
              </span>
              <small className="end">{when.format(new Date(entry.at))}</small>
            </li>
          ))}
        </ul>
      </article>
    </section>
  );
}
