import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vue()],
  build: { outDir: "dist", emptyOutDir: true, modulePreload: { polyfill: false } },
  server: { proxy: { "/api": "http://127.0.0.1:4242", "/brand.css": "http://127.0.0.1:4242" } },
});
