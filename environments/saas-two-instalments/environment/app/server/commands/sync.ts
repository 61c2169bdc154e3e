/** `npm run stripe:sync`: takes over the plans file and tells Stripe about it. Run it after every change of the file. */
import { syncPlans } from "../catalogue.ts";
import { config } from "../config.ts";
import { pool } from "../database/client.ts";
import { loadPlans, plansOnSale, readPlansFile } from "../plans.ts";
import { syncPortal } from "../portal.ts";

await loadPlans(readPlansFile(config.plansPath));
await syncPlans(await plansOnSale());
const onSale = await plansOnSale();
await syncPortal(onSale);
console.log(`on sale: ${onSale.map((plan) => plan.name).join(", ")}`);
await pool.end();
