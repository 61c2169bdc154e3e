/** The activity log: what happened in a studio, and who did it. Entries are only ever added. */
import { desc, eq } from "drizzle-orm";

import type { Activity, Action } from "../shared/types.ts";
import { database, type Connection } from "./database/client.ts";
import { activity, users } from "./database/schema.ts";

export async function note(on: Connection, teamId: number, userId: number | null, action: Action, detail = ""): Promise<void> {
  await on.insert(activity).values({ teamId, userId, action, detail });
}

export async function activityOf(teamId: number): Promise<Activity[]> {
  const rows = await database
    .select({ id: activity.id, action: activity.action, detail: activity.detail, who: users.name, at: activity.createdAt })
    .from(activity)
    .leftJoin(users, eq(users.id, activity.userId))
    .where(eq(activity.teamId, teamId))
    .orderBy(desc(activity.id))
    .limit(200);
  return rows.map((row) => ({ ...row, action: row.action as Action, at: row.at.toISOString() }));
}
