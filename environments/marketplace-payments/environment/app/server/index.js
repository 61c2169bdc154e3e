import { createApp } from "./app.js";
import { config } from "./config.js";
import { migrate } from "./database.js";

migrate();
createApp().listen(config.port, "127.0.0.1", () => console.log(`Deckle Row is at ${config.origin}`));
