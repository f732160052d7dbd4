import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Seal } from "../../../mcp/index.ts";
import { isJsonObject, parseJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";

const version = "v1";
const deepest = 8;

/** Seals expire after a number of milliseconds, or with their key: by default this process's. */
export function createSeal(time: number, key: () => string | Buffer = ownKey()): Seal {
  const sign = (text: string, owner: string) =>
    createHmac("sha256", key()).update(`${owner}\n${text}`).digest("base64url");
  return {
    close(value, owner) {
      const text = JSON.stringify({ value, exp: Math.floor((Date.now() + time) / 1000) });
      const body = `${version}.${Buffer.from(text).toString("base64url")}`;
      return `${body}.${sign(body, owner)}`;
    },
    open(sealed, owner) {
      const [, body = "", mac = ""] = /^(v1\.[\w-]+)\.([\w-]+)$/.exec(typeof sealed === "string" ? sealed : "") ?? [];
      const [given, right] = [Buffer.from(mac), Buffer.from(sign(body, owner))];
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      const text = Buffer.from(body.slice(version.length + 1), "base64url").toString();
      const { value, exp } = parseJsonObject(text, deepest) ?? {};
      return isJsonObject(value) && Number(exp) >= Date.now() / 1000 ? (value satisfies JsonObject) : undefined;
    },
  };
}

function ownKey(): () => Buffer {
  const key = randomBytes(32);
  return () => key;
}
