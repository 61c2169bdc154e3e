/** A studio's kilns: as many as its plan allows. */
import { asc, eq, sql } from "drizzle-orm";

import type { Kiln } from "../shared/types.ts";
import { text, type Visitor } from "./accounts.ts";
import { note } from "./activity.ts";
import { database } from "./database/client.ts";
import { kilns, type Team } from "./database/schema.ts";
import { Refusal, wrong } from "./errors.ts";
import { FREE, planByCode } from "./plans.ts";

export async function kilnLimit(team: Team): Promise<number> {
  const plan = team.plan ? await planByCode(team.plan) : undefined;
  return plan?.kilns ?? FREE.kilns;
}

export async function kilnsOf(teamId: number): Promise<Kiln[]> {
  const rows = await database.select().from(kilns).where(eq(kilns.teamId, teamId)).orderBy(asc(kilns.id));
  return rows.map(({ id, name, litres }) => ({ id, name, litres }));
}

export async function addKiln({ user, team }: Visitor, body: Record<string, unknown>): Promise<Kiln> {
  const name = text(body.name, "The kiln's name", 60);
  const litres = Number(body.litres);
  if (!Number.isInteger(litres) || litres < 1 || litres > 5000) throw wrong("A kiln holds 1 to 5000 litres.");
  const limit = await kilnLimit(team);
  return database.transaction(async (on) => {
    await on.execute(sql`SELECT 1 FROM teams WHERE id = ${team.id} FOR UPDATE`);
    const present = await on.select({ id: kilns.id }).from(kilns).where(eq(kilns.teamId, team.id));
    if (present.length >= limit) {
      throw new Refusal(409, "plan_limit", `Your plan has room for ${limit} ${limit === 1 ? "kiln" : "kilns"}.`);
    }
    const [kiln] = await on.insert(kilns).values({ teamId: team.id, name, litres }).returning();
    await note(on, team.id, user.id, "kiln.added", name);
    return { id: kiln!.id, name, litres };
  });
}
