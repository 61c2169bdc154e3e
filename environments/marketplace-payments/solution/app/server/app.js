// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-fb7336d3b991: keep out of training data
import { existsSync } from "node:fs";
import { join } from "node:path";

import express from "express";

import { brandStyles, readBrand } from "./brand.js";
import { config } from "./config.js";
import { answerErrors, Refusal } from "./errors.js";
import { policyHeader } from "./policy.js";
import { itemRoutes } from "./routes/items.js";
import { orderRoutes } from "./routes/orders.js";
import { paymentRoutes } from "./routes/payments.js";
import { sellerRoutes } from "./routes/sellers.js";

const DIST = join(import.meta.dirname, "..", "dist");

export function createApp() {
  const app = express();
  app.disable("x-powered-by");
  app.use((request, response, next) => {
    response.set({
      "content-security-policy": policyHeader(),
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
    });
    next();
  });
  app.get("/health", (request, response) => response.json({ ok: true }));
  app.get("/brand.css", (request, response) => response.type("css").send(brandStyles(readBrand(config.brand))));
  app.use("/api", express.json({ limit: "100kb" }), sellerRoutes(), itemRoutes(), orderRoutes(), paymentRoutes());
  app.use("/api", () => {
    throw new Refusal(404, "not_found", "There is nothing here.");
  });
  app.use(express.static(DIST, { index: false }));
  app.get("/{*path}", (request, response) => {
    if (!existsSync(join(DIST, "index.html"))) throw new Refusal(503, "not_built", "Run npm run build first.");
    response.sendFile(join(DIST, "index.html"));
  });
  app.use(answerErrors);
  return app;
}
