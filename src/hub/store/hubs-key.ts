// A key that all hubs of one store have: what one of them signs for a page, or names for a client, is good at every other.
import { randomBytes } from "node:crypto";
import type { Homes } from "./port/store.ts";

const name = "key of all hubs";
/** Its row is used more often than rows are deleted. */
const useTime = 24 * 60 * 60 * 1000;

export interface HubsKey {
  readonly key: string;
  close(): void;
}

/** The first hub makes it. */
export async function openHubsKey(homes: Pick<Homes, "take">): Promise<HubsKey> {
  const key = await homes.take(name, randomBytes(32).toString("base64url"));
  const timer = setInterval(() => void homes.take(name, key).catch(() => {}), useTime).unref();
  return { key, close: () => clearInterval(timer) };
}
