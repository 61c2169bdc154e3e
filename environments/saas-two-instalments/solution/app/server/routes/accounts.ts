// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-e3d568945e68: keep out of training data
/** People and their studio. */
import { Router } from "express";

import type { Me, Member, PurchaseUnderWay } from "../../shared/types.ts";
import { addMember, endLogin, forOwners, forVisitors, membersOf, signIn, signUp, startLogin, type Visitor } from "../accounts.ts";
import { activityOf } from "../activity.ts";
import type { Purchase, User } from "../database/schema.ts";
import { openPurchase } from "../instalments.ts";
import { kilnLimit } from "../kilns.ts";
import { FREE, planByCode } from "../plans.ts";

async function me({ user, team }: Visitor): Promise<Me> {
  const plan = team.plan ? await planByCode(team.plan) : undefined;
  return {
    user: { id: user.id, name: user.name, email: user.email, role: user.role },
    team: {
      id: team.id,
      name: team.name,
      plan: team.plan,
      planName: plan?.name ?? FREE.name,
      subscriptionStatus: team.subscriptionStatus,
      kilnLimit: await kilnLimit(team),
      purchase: underWay(await openPurchase(team.id)),
    },
  };
}

function underWay(purchase: Purchase | undefined): PurchaseUnderWay | null {
  if (!purchase?.firstPayment) return null;
  const { plan, currency, amounts, endsAt } = purchase;
  return { plan, currency, instalments: amounts.map((amount, at) => ({ amount, paid: at === 0 })), endsAt: endsAt.toISOString() };
}

const member = ({ id, name, email, role }: User): Member => ({ id, name, email, role });

export const accounts = Router();

accounts.post("/sign-up", async (request, response) => {
  const visitor = await signUp(request.body ?? {});
  await startLogin(visitor.user, response);
  response.status(201).json(await me(visitor));
});

accounts.post("/sign-in", async (request, response) => {
  const visitor = await signIn(request.body ?? {});
  await startLogin(visitor.user, response);
  response.json(await me(visitor));
});

accounts.post("/sign-out", async (request, response) => {
  await endLogin(request, response);
  response.status(204).end();
});

accounts.get("/me", forVisitors(async (visitor, _request, response) => {
  response.json(await me(visitor));
}));

accounts.get("/activity", forVisitors(async ({ team }, _request, response) => {
  response.json({ activity: await activityOf(team.id) });
}));

accounts.get("/members", forVisitors(async ({ team }, _request, response) => {
  response.json({ members: (await membersOf(team.id)).map(member) });
}));

accounts.post("/members", forOwners(async (visitor, request, response) => {
  response.status(201).json(member(await addMember(visitor, request.body ?? {})));
}));
