import { Router } from "express";

import { currentSeller, endLogin, needSeller, openShops, shown, signIn, signUp, startLogin } from "../sellers.js";
import { itemsOf } from "../items.js";
import { ordersOf } from "../orders.js";

export function sellerRoutes() {
  const router = Router();
  router.post("/sign-up", (request, response) => {
    const seller = signUp(request.body);
    startLogin(response, seller);
    response.status(201).json({ seller: shown(seller) });
  });
  router.post("/sign-in", (request, response) => {
    const seller = signIn(request.body);
    startLogin(response, seller);
    response.json({ seller: shown(seller) });
  });
  router.post("/sign-out", (request, response) => {
    endLogin(request, response);
    response.status(204).end();
  });
  router.get("/me", (request, response) => {
    const seller = currentSeller(request);
    response.json({ seller: seller ? shown(seller) : null });
  });
  router.get("/me/items", (request, response) => response.json({ items: itemsOf(needSeller(request)) }));
  router.get("/me/orders", (request, response) => response.json({ orders: ordersOf(needSeller(request)) }));
  router.get("/shops", (request, response) => response.json({ shops: openShops().map(({ shop, slug }) => ({ shop, slug })) }));
  return router;
}
