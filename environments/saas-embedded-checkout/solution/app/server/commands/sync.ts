// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-cfcb8c88b3f2: keep out of training data
/** `npm run stripe:sync`: takes over the plans file and tells Stripe about it. Run it after every change of the file. */
import { syncPlans } from "../catalogue.ts";
import { config } from "../config.ts";
import { pool } from "../database/client.ts";
import { loadPlans, plansOnSale, readPlansFile } from "../plans.ts";
import { syncPortal } from "../portal.ts";
import { syncPromotions } from "../promotions.ts";

const file = readPlansFile(config.plansPath);
await loadPlans(file);
await syncPlans(await plansOnSale());
const onSale = await plansOnSale();
await syncPortal(onSale);
await syncPromotions(file.promotions ?? [], file.currency, onSale);
console.log(`on sale: ${onSale.map((plan) => plan.name).join(", ")}`);
await pool.end();
