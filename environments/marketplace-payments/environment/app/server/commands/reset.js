// An empty database with the shops of data/shops.json (or of SHOPS_PATH).
import { config } from "../config.js";
import { reset } from "../database.js";
import { loadShops } from "../shops-file.js";

reset();
const shops = loadShops(config.shops);
console.log(`${shops} shops are in ${config.database}`);
