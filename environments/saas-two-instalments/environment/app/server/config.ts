/** What the environment decides. */

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

export const config = {
  port: Number(process.env.PORT ?? 4242),
  host: process.env.HOST ?? "127.0.0.1",
  baseUrl: process.env.BASE_URL ?? `http://127.0.0.1:${process.env.PORT ?? 4242}`,
  databaseUrl: process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/kilnbook",
  plansPath: process.env.PLANS_PATH ?? "data/plans.json",
  stripe: {
    get secretKey() {
      return required("STRIPE_SECRET_KEY");
    },
    get webhookSecret() {
      return required("STRIPE_WEBHOOK_SECRET");
    },
  },
};
