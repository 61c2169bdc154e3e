// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1861645e260f: keep out of training data
import { useCallback, useEffect, useState } from "react";
import { Link } from "react-router-dom";

import { money } from "../../shared/money.ts";
import type { Kiln, Me, Member, PurchaseUnderWay } from "../../shared/types.ts";
import { get, post } from "../api.ts";
import { Field } from "../parts/Field.tsx";
import { Needed } from "../parts/Needed.tsx";
import { useForm } from "../parts/useForm.ts";

const STATUS: Record<string, string> = {
  trialing: "Trial",
  active: "Active",
  past_due: "Payment overdue",
};

export function Studio() {
  return <Needed>{(me) => <Inside me={me} />}</Needed>;
}

function Inside({ me }: { me: Me }) {
  const owner = me.user.role === "owner";
  return (
    <section className="wide">
      <div className="heading left">
        <p className="eyebrow">Studio</p>
        <h1 data-testid="studio-name">{me.team.name}</h1>
      </div>
      <div className="two">
        <div className="stack">
          <Plan me={me} owner={owner} />
          <Members owner={owner} />
        </div>
        <Kilns limit={me.team.kilnLimit} />
      </div>
    </section>
  );
}

function Plan({ me, owner }: { me: Me; owner: boolean }) {
  const { plan, planName, subscriptionStatus, purchase } = me.team;
  return (
    <article className="card">
      <h2>Plan</h2>
      <p className="plan">
        <strong data-testid="plan-name">{planName}</strong>
        <span className={`badge ${subscriptionStatus ?? "free"}`} data-testid="plan-status">
          {subscriptionStatus ? (STATUS[subscriptionStatus] ?? subscriptionStatus) : "Free"}
        </span>
      </p>
      {plan && owner && (
        <form method="post" action="/api/portal">
          <button className="button quiet" data-testid="manage">
            Manage plan and payments
          </button>
        </form>
      )}
      {purchase && <Instalments purchase={purchase} owner={owner} />}
      {!plan && !purchase && owner && (
        <Link to="/pricing" className="button">
          Choose a plan
        </Link>
      )}
      {!owner && <p className="quiet">The studio’s owners look after the plan.</p>}
    </article>
  );
}

const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

function Instalments({ purchase, owner }: { purchase: PurchaseUnderWay; owner: boolean }) {
  const { plan, currency, instalments, endsAt } = purchase;
  return (
    <div className="inset" data-testid="instalments">
      <p>
        The plan begins when both instalments are paid. If the second is not paid by {when.format(new Date(endsAt))}, the first comes back to
        you.
      </p>
      <ul className="rows">
        {instalments.map(({ amount, paid }, at) => (
          <li key={at}>
            <span>
              Instalment {at + 1}: {money(amount, currency)}
            </span>
            <small className="end">{paid ? "paid" : "due"}</small>
          </li>
        ))}
      </ul>
      {owner && (
        <form method="post" action="/api/checkout">
          <input type="hidden" name="plan" value={plan} />
          <button className="button" data-testid="pay-instalment">
            Pay the second instalment
          </button>
        </form>
      )}
    </div>
  );
}

function Members({ owner }: { owner: boolean }) {
  const [members, setMembers] = useState<Member[]>([]);
  const [adding, setAdding] = useState(false);
  const load = useCallback(async () => setMembers((await get<{ members: Member[] }>("/members")).members), []);
  useEffect(() => void load(), [load]);
  const { submit, busy, problem } = useForm(async (values) => {
    await post("/members", values);
    await load();
    setAdding(false);
  });
  return (
    <article className="card">
      <h2>Members</h2>
      <ul className="rows">
        {members.map((member) => (
          <li key={member.id} data-testid="member">
            <span className="face" aria-hidden="true">
              {member.name.slice(0, 1)}
            </span>
            <span>
              {member.name}
              <br />
              <small>{member.email}</small>
            </span>
            <small className="end">{member.role}</small>
          </li>
        ))}
      </ul>
      {owner && !adding && (
        <button type="button" className="button quiet" onClick={() => setAdding(true)}>
          Add a member
        </button>
      )}
      {adding && (
        <form onSubmit={(event) => void submit(event)} className="form inset">
          <Field label="Name" name="name" required />
          <Field label="E-mail" name="email" type="email" required />
          <Field label="First password" name="password" type="password" autoComplete="new-password" minLength={10} required />
          {problem && <p className="problem">{problem}</p>}
          <button className="button" disabled={busy}>
            Add
          </button>
        </form>
      )}
    </article>
  );
}

function Kilns({ limit }: { limit: number }) {
  const [kilns, setKilns] = useState<Kiln[]>();
  const load = useCallback(async () => setKilns((await get<{ kilns: Kiln[] }>("/kilns")).kilns), []);
  useEffect(() => void load(), [load]);
  const { submit, busy, problem } = useForm(async (values) => {
    await post("/kilns", { ...values, litres: Number(values.litres) });
    await load();
  });
  return (
    <article className="card">
      <h2>Kilns</h2>
      <p className="quiet">
        {kilns ? `${kilns.length} of ${limit} in use` : "One moment…"}
      </p>
      <ul className="rows">
        {kilns?.map((kiln) => (
          <li key={kiln.id} data-testid="kiln">
            <span className="face kiln" aria-hidden="true" />
            <span>{kiln.name}</span>
            <small className="end">{kiln.litres} litres</small>
          </li>
        ))}
      </ul>
      <form onSubmit={(event) => void submit(event)} className="form inline">
        <Field label="Name" name="name" placeholder="Big Bertha" required />
        <Field label="Litres" name="litres" type="number" min={1} max={5000} placeholder="180" required />
        <button className="button quiet" disabled={busy}>
          Add a kiln
        </button>
      </form>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </article>
  );
}
