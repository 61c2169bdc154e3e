// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-5c3eff7106b4: keep out of training data
/** The tables, as Drizzle sees them. `migrations/` makes them; keep the two alike. */
import { boolean, integer, jsonb, pgTable, serial, text, timestamp } from "drizzle-orm/pg-core";

const moment = (name: string) => timestamp(name, { withTimezone: true }).notNull().defaultNow();

export const plans = pgTable("plans", {
  code: text("code").primaryKey(),
  position: integer("position").notNull(),
  name: text("name").notNull(),
  blurb: text("blurb").notNull(),
  highlights: jsonb("highlights").$type<string[]>().notNull().default([]),
  kilns: integer("kilns").notNull(),
  unitAmount: integer("unit_amount").notNull(),
  currency: text("currency").notNull(),
  interval: text("interval").$type<"month" | "year">().notNull(),
  trialDays: integer("trial_days").notNull().default(0),
  onSale: boolean("on_sale").notNull().default(true),
  instalments: integer("instalments").notNull().default(1),
  stripeProduct: text("stripe_product"),
  stripePrice: text("stripe_price"),
});

export const teams = pgTable("teams", {
  id: serial("id").primaryKey(),
  name: text("name").notNull(),
  plan: text("plan").references(() => plans.code),
  subscriptionStatus: text("subscription_status"),
  stripeCustomer: text("stripe_customer").unique(),
  stripeSubscription: text("stripe_subscription").unique(),
  createdAt: moment("created_at"),
});

export const purchases = pgTable("purchases", {
  id: serial("id").primaryKey(),
  teamId: integer("team_id")
    .notNull()
    .references(() => teams.id),
  plan: text("plan")
    .notNull()
    .references(() => plans.code),
  currency: text("currency").notNull(),
  amounts: integer("amounts").array().notNull(),
  subscription: text("subscription").notNull().unique(),
  invoice: text("invoice").notNull().unique(),
  firstPayment: text("first_payment").unique(),
  secondPayment: text("second_payment").unique(),
  endsAt: timestamp("ends_at", { withTimezone: true }).notNull(),
  outcome: text("outcome").$type<"bought" | "dropped" | "abandoned">(),
  createdAt: moment("created_at"),
});

export const users = pgTable("users", {
  id: serial("id").primaryKey(),
  teamId: integer("team_id")
    .notNull()
    .references(() => teams.id),
  role: text("role").$type<"owner" | "member">().notNull(),
  name: text("name").notNull(),
  email: text("email").notNull().unique(),
  passwordHash: text("password_hash").notNull(),
  createdAt: moment("created_at"),
});

export const logins = pgTable("logins", {
  tokenHash: text("token_hash").primaryKey(),
  userId: integer("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" }),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
});

export const kilns = pgTable("kilns", {
  id: serial("id").primaryKey(),
  teamId: integer("team_id")
    .notNull()
    .references(() => teams.id),
  name: text("name").notNull(),
  litres: integer("litres").notNull(),
  createdAt: moment("created_at"),
});

export const activity = pgTable("activity", {
  id: serial("id").primaryKey(),
  teamId: integer("team_id")
    .notNull()
    .references(() => teams.id),
  userId: integer("user_id").references(() => users.id),
  action: text("action").notNull(),
  detail: text("detail").notNull().default(""),
  createdAt: moment("created_at"),
});

export type Plan = typeof plans.$inferSelect;
export type Team = typeof teams.$inferSelect;
export type Purchase = typeof purchases.$inferSelect;
export type User = typeof users.$inferSelect;
