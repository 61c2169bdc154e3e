/** What server and pages say to each other. Amounts are whole minor units. */

export type Action =
  | "studio.opened"
  | "member.added"
  | "signed.in"
  | "kiln.added"
  | "plan.started"
  | "plan.changed"
  | "plan.ended";

export interface Activity {
  id: number;
  action: Action;
  detail: string;
  who: string | null;
  at: string;
}

export interface PlanOffer {
  code: string;
  name: string;
  blurb: string;
  highlights: string[];
  kilns: number;
  amount: number;
  currency: string;
  interval: "month" | "year";
  trialDays: number;
}

export interface Me {
  user: { id: number; name: string; email: string; role: "owner" | "member" };
  team: { id: number; name: string; plan: string | null; planName: string; subscriptionStatus: string | null; kilnLimit: number };
}

export interface Member {
  id: number;
  name: string;
  email: string;
  role: "owner" | "member";
}

export interface Kiln {
  id: number;
  name: string;
  litres: number;
}

export interface Problem {
  error: { code: string; message: string };
}
