import { Router } from "express";

import { config } from "../config.js";
import { accountToBe, mark } from "../connect.js";
import { currentSeller, endLogin, forget, needSeller, openShops, readSeller, shown, signIn, signUp, startLogin } from "../sellers.js";
import { itemsOf } from "../items.js";
import { ordersOf } from "../orders.js";

export function sellerRoutes() {
  const router = Router();
  router.post("/sign-up", async (request, response) => {
    const details = readSeller(request.body);
    const account = await accountToBe(details, config.origin);
    const seller = signUp(details, account);
    try {
      await mark(account, seller, config.origin);
    } catch (error) {
      forget(seller);
      throw error;
    }
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
