/** Who somebody is: signing up, in and out. */
import { and, eq, gt } from "drizzle-orm";
import type { NextFunction, Request, Response } from "express";

import { note } from "./activity.ts";
import { database } from "./database/client.ts";
import { logins, teams, users, type Team, type User } from "./database/schema.ts";
import { ownersOnly, Refusal, signInFirst, wrong } from "./errors.ts";
import { hashPassword, newToken, passwordMatches, tokenHash } from "./passwords.ts";

const COOKIE = "kilnbook";
const DAYS = 30;

/** The person behind a request, and their studio. */
export interface Visitor {
  user: User;
  team: Team;
}

export const text = (value: unknown, what: string, longest = 120): string => {
  const cleaned = typeof value === "string" ? value.trim().replace(/\s+/g, " ") : "";
  if (!cleaned || cleaned.length > longest) throw wrong(`${what} is missing or too long.`);
  return cleaned;
};

export function emailAddress(value: unknown): string {
  const email = text(value, "The e-mail address").toLowerCase();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) throw wrong("This is no e-mail address.");
  return email;
}

function password(value: unknown): string {
  if (typeof value !== "string" || value.length < 10) throw wrong("A password has ten characters or more.");
  return value;
}

export async function signUp(body: Record<string, unknown>): Promise<Visitor> {
  const name = text(body.name, "Your name");
  const email = emailAddress(body.email);
  const passwordHash = await hashPassword(password(body.password));
  const studio = text(body.team, "The studio's name");
  return database.transaction(async (on) => {
    const [team] = await on.insert(teams).values({ name: studio }).returning();
    const [user] = await on
      .insert(users)
      .values({ teamId: team!.id, role: "owner", name, email, passwordHash })
      .onConflictDoNothing()
      .returning();
    if (!user) throw new Refusal(409, "email_taken", "There is an account with this e-mail address. Sign in instead.");
    await note(on, team!.id, user.id, "studio.opened", studio);
    return { user, team: team! };
  });
}

export async function addMember(owner: Visitor, body: Record<string, unknown>): Promise<User> {
  const name = text(body.name, "The name");
  const email = emailAddress(body.email);
  const passwordHash = await hashPassword(password(body.password));
  const [user] = await database
    .insert(users)
    .values({ teamId: owner.team.id, role: "member", name, email, passwordHash })
    .onConflictDoNothing()
    .returning();
  if (!user) throw new Refusal(409, "email_taken", "There is an account with this e-mail address.");
  await note(database, owner.team.id, owner.user.id, "member.added", name);
  return user;
}

export async function membersOf(teamId: number): Promise<User[]> {
  return database.select().from(users).where(eq(users.teamId, teamId)).orderBy(users.id);
}

export async function signIn(body: Record<string, unknown>): Promise<Visitor> {
  const email = emailAddress(body.email);
  const [found] = await database
    .select({ user: users, team: teams })
    .from(users)
    .innerJoin(teams, eq(teams.id, users.teamId))
    .where(eq(users.email, email));
  if (!found || !(await passwordMatches(String(body.password ?? ""), found.user.passwordHash))) {
    throw new Refusal(401, "not_recognised", "E-mail address or password are not right.");
  }
  await note(database, found.team.id, found.user.id, "signed.in");
  return found;
}

/** Remember in a cookie who this is. */
export async function startLogin(user: User, response: Response): Promise<void> {
  const token = newToken();
  const expiresAt = new Date(Date.now() + DAYS * 86_400_000);
  await database.insert(logins).values({ tokenHash: tokenHash(token), userId: user.id, expiresAt });
  response.cookie(COOKIE, token, { httpOnly: true, sameSite: "lax", path: "/", expires: expiresAt });
}

export async function endLogin(request: Request, response: Response): Promise<void> {
  const token = cookie(request);
  if (token) await database.delete(logins).where(eq(logins.tokenHash, tokenHash(token)));
  response.clearCookie(COOKIE, { httpOnly: true, sameSite: "lax", path: "/" });
}

function cookie(request: Request): string | undefined {
  for (const part of (request.headers.cookie ?? "").split(";")) {
    const [name, value] = part.trim().split("=");
    if (name === COOKIE && value) return value;
  }
  return undefined;
}

/** Who is asking, if they are signed in. */
export async function visitorOf(request: Request): Promise<Visitor | undefined> {
  const token = cookie(request);
  if (!token) return undefined;
  const [found] = await database
    .select({ user: users, team: teams })
    .from(logins)
    .innerJoin(users, eq(users.id, logins.userId))
    .innerJoin(teams, eq(teams.id, users.teamId))
    .where(and(eq(logins.tokenHash, tokenHash(token)), gt(logins.expiresAt, new Date())));
  return found;
}

type Handler = (visitor: Visitor, request: Request, response: Response) => Promise<void>;

/** A route for people who are signed in. */
export const forVisitors = (handler: Handler) => async (request: Request, response: Response, _next: NextFunction) => {
  const visitor = await visitorOf(request);
  if (!visitor) throw signInFirst();
  await handler(visitor, request, response);
};

/** A route for the owners of a studio. */
export const forOwners = (handler: Handler) =>
  forVisitors(async (visitor, request, response) => {
    if (visitor.user.role !== "owner") throw ownersOnly();
    await handler(visitor, request, response);
  });
