import { Router } from "express";

import { config } from "../config.js";
import { finishOrder, startOrder } from "../orders.js";

export function orderRoutes() {
  const router = Router();
  router.post("/orders", async (request, response) => response.status(201).json(await startOrder(request.body, config)));
  router.post("/orders/:id/finish", async (request, response) => {
    const order = await finishOrder(Number(request.params.id), String(request.body?.session ?? ""));
    response.json({ order });
  });
  return router;
}
