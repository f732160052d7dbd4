// A key that all hubs of one store have: what one of them signs for a page, or names for a client, is good at every other.
import { randomBytes } from "node:crypto";
import type { HomeStore } from "./port/store.ts";

export const hubsKeyName = "key of all hubs";
/** Its row is used more often than rows are deleted. */
const useTime = 24 * 60 * 60 * 1000;
const retryTime = 1000;

export interface HubsKey {
  readonly key: string;
  close(): void;
}

/** The first hub makes it. While the store is away, a hub uses a key of its own. */
export async function openHubsKey(homes: Pick<HomeStore, "take">): Promise<HubsKey> {
  let key = randomBytes(32).toString("base64url");
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function take(): Promise<void> {
    const taken = await homes.take(hubsKeyName, key).catch(() => undefined);
    key = taken ?? key;
    if (!isClosed) timer = setTimeout(() => void take(), taken === undefined ? retryTime : useTime).unref();
  }

  await take();
  return {
    get key() {
      return key;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
