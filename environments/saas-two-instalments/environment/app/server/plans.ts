/** The plans on sale, and which of them a team is on. */
import { readFileSync } from "node:fs";
import { asc, eq, notInArray } from "drizzle-orm";

import type { PlanOffer } from "../shared/types.ts";
import { database } from "./database/client.ts";
import { plans, type Plan } from "./database/schema.ts";

/** A team without a plan: try Kilnbook with one kiln for as long as you like. */
export const FREE = { name: "Raku", kilns: 1 } as const;

export interface PlansFile {
  currency: string;
  plans: {
    code: string;
    name: string;
    blurb: string;
    highlights: string[];
    kilns: number;
    unit_amount: number;
    interval: "month" | "year";
    trial_days: number;
    /** 2: to be paid in two instalments. Nothing looks at it yet. */
    instalments?: number;
  }[];
}

export function readPlansFile(path: string): PlansFile {
  return JSON.parse(readFileSync(path, "utf-8")) as PlansFile;
}

/** Take over a plans file. Plans that are not in it any more are kept for the teams on them, but not sold. */
export async function loadPlans(file: PlansFile): Promise<void> {
  for (const [position, plan] of file.plans.entries()) {
    const values = {
      position,
      name: plan.name,
      blurb: plan.blurb,
      highlights: plan.highlights,
      kilns: plan.kilns,
      unitAmount: plan.unit_amount,
      currency: file.currency,
      interval: plan.interval,
      trialDays: plan.trial_days,
      onSale: true,
    };
    await database
      .insert(plans)
      .values({ code: plan.code, ...values })
      .onConflictDoUpdate({ target: plans.code, set: values });
  }
  const codes = file.plans.map((plan) => plan.code);
  await database.update(plans).set({ onSale: false }).where(notInArray(plans.code, codes));
}

export async function plansOnSale(): Promise<Plan[]> {
  return database.select().from(plans).where(eq(plans.onSale, true)).orderBy(asc(plans.position));
}

export async function planByCode(code: string): Promise<Plan | undefined> {
  const [plan] = await database.select().from(plans).where(eq(plans.code, code));
  return plan;
}

export async function planByPrice(stripePrice: string): Promise<Plan | undefined> {
  const [plan] = await database.select().from(plans).where(eq(plans.stripePrice, stripePrice));
  return plan;
}

export function offer(plan: Plan): PlanOffer {
  const { code, name, blurb, highlights, kilns, currency, interval, trialDays } = plan;
  return { code, name, blurb, highlights, kilns, currency, interval, trialDays, amount: plan.unitAmount };
}
