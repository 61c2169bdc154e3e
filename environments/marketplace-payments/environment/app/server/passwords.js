import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";

const COST = { N: 4096, r: 8, p: 1 };

export function hashPassword(password, salt = randomBytes(16)) {
  return `${salt.toString("hex")}.${scryptSync(password, salt, 32, COST).toString("hex")}`;
}

export function checkPassword(password, stored) {
  const [salt, hash] = stored.split(".");
  const wanted = Buffer.from(hash, "hex");
  return timingSafeEqual(scryptSync(password, Buffer.from(salt, "hex"), wanted.length, COST), wanted);
}
