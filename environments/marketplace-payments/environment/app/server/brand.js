// The brand, as the designers keep it (brand/README.md), as variables of CSS.
import { readFileSync } from "node:fs";

export function readBrand(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

export function brandStyles(brand) {
  const lines = Object.entries(brand).map(([name, value]) => `  --${name}: ${value};`);
  return `:root {\n${lines.join("\n")}\n}\n`;
}
