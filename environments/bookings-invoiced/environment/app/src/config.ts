// Everything that differs between machines. Read once, when the process starts.

export interface Config {
  port: number;
  databaseUrl: string;
  officeToken: string;
  stripeSecretKey: string;
}

export function read(env: NodeJS.ProcessEnv = process.env): Config {
  return {
    port: Number(env.PORT || 4242),
    databaseUrl: env.DATABASE_URL || 'postgres://nightjar@127.0.0.1:5432/nightjar',
    officeToken: env.OFFICE_TOKEN || '',
    stripeSecretKey: env.STRIPE_SECRET_KEY || '',
  };
}
