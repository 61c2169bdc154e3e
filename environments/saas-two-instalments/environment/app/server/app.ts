/** The web server: an API below /api, and the pages. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import express, { type NextFunction, type Request, type Response } from "express";

import { database } from "./database/client.ts";
import { Refusal } from "./errors.ts";
import { accounts } from "./routes/accounts.ts";
import { billing } from "./routes/billing.ts";
import { kilns } from "./routes/kilns.ts";
import { receive } from "./webhooks.ts";

export function makeApp(pages = resolve("dist/client")): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.post("/api/stripe/webhook", express.raw({ type: "*/*", limit: "1mb" }), receive);
  app.use(express.json({ limit: "100kb" }), express.urlencoded({ extended: false }));

  app.get("/health", async (_request, response) => {
    await database.execute("SELECT 1");
    response.json({ ok: true });
  });
  app.use("/api", accounts, billing, kilns);
  app.use("/api", (_request, _response) => {
    throw new Refusal(404, "not_found", "There is nothing here.");
  });

  if (existsSync(pages)) {
    app.use(express.static(pages, { index: false, maxAge: "1h" }));
    app.get("/{*page}", (_request, response) => {
      response.set("Cache-Control", "no-store").sendFile(resolve(pages, "index.html"));
    });
  }
  app.use(refuse);
  return app;
}

function refuse(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  if (error instanceof Refusal) {
    response.status(error.status).json({ error: { code: error.code, message: error.message } });
    return;
  }
  const status = Number((error as { status?: unknown }).status);
  if (status >= 400 && status < 500) {
    response.status(status).json({ error: { code: "invalid_request", message: "This could not be read." } });
    return;
  }
  console.error(error);
  response.status(500).json({ error: { code: "internal", message: "Something broke on our side." } });
}
