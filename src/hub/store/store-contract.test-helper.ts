import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { resolveLimits } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { createMemoryStore } from "./memory-store.ts";
import { openStore } from "./open-store.ts";
import type { StoreOptions } from "./open-store.ts";
import { newConversationId } from "./store.ts";
import type { ConversationKey, Store } from "./store.ts";

/** A folder that is gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in a database, closed after the test. */
export async function openTestStore(database: string, options: Omit<StoreOptions, "database"> = {}): Promise<Store> {
  const store = await openStore({ database, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A new and empty store with these limits. */
export type CreateStore = (limits?: Partial<Limits>) => Promise<Store>;

/** Each kind of store that outlives its process. */
export const databaseKinds: readonly [string, CreateStore][] = [
  ["SQLite", (limits = {}) => openTestStore(join(makeFolder(), "hub.db"), { limits })],
];

/** Every kind of store that there is. */
export const storeKinds: readonly [string, CreateStore][] = [
  ["memory", async (limits) => createMemoryStore(limits ? { limits: resolveLimits(limits) } : {})],
  ...databaseKinds,
];

/** The name of a conversation that is not there yet. */
export function newKey(principal = "ada"): ConversationKey {
  return { principal, id: newConversationId() };
}

/** Messages with these texts. */
export function say(...texts: readonly string[]) {
  return texts.map((content) => ({ role: "user", content }));
}

/** The texts of what a store has of a conversation. */
export async function textsOf(store: Store, key: ConversationKey): Promise<readonly unknown[] | undefined> {
  return (await store.read(key))?.messages.map(({ content }) => content);
}
