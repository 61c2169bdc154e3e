/** Kilns. */
import { Router } from "express";

import { forVisitors } from "../accounts.ts";
import { addKiln, kilnsOf } from "../kilns.ts";

export const kilns = Router();

kilns.get("/kilns", forVisitors(async ({ team }, _request, response) => {
  response.json({ kilns: await kilnsOf(team.id) });
}));

kilns.post("/kilns", forVisitors(async (visitor, request, response) => {
  response.status(201).json(await addKiln(visitor, request.body ?? {}));
}));
