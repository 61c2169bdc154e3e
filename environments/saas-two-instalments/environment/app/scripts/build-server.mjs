// Bundles the server and its commands for Node; packages stay in node_modules.
import { build } from "esbuild";

await build({
  entryPoints: ["server/index.ts", "server/commands/*.ts"],
  outdir: "dist/server",
  outbase: "server",
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: true,
  logLevel: "warning",
});
