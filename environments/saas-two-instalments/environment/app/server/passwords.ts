/** Passwords and tokens: never stored as they are. */
import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

const derived = (password: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, 32, (error, key) => (error ? reject(error) : resolve(key))),
  );

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("hex")}.${(await derived(password, salt)).toString("hex")}`;
}

export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const [salt, hash] = stored.split(".").map((part) => Buffer.from(part, "hex"));
  if (!salt || !hash) return false;
  const given = await derived(password, salt);
  return given.length === hash.length && timingSafeEqual(given, hash);
}

export const newToken = () => randomBytes(24).toString("base64url");
export const tokenHash = (token: string) => createHash("sha256").update(token).digest("hex");
