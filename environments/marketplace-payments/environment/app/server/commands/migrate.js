import { migrate } from "../database.js";

migrate();
console.log("the database is up to date");
