import { Router } from "express";

import { Refusal } from "../errors.js";
import { addItem, itemById, itemsForSale } from "../items.js";
import { needSeller } from "../sellers.js";

export function itemRoutes() {
  const router = Router();
  router.get("/items", (request, response) => response.json({ items: itemsForSale(request.query.shop) }));
  router.get("/items/:id", (request, response) => {
    const item = itemById(Number(request.params.id));
    if (!item) throw new Refusal(404, "no_item", "There is no such item.");
    const { sellerId, ...shown } = item;
    response.json({ item: shown });
  });
  router.post("/items", (request, response) => response.status(201).json({ item: addItem(needSeller(request), request.body) }));
  return router;
}
