import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newDatabase } from "../../../../test/support/start-postgres.ts";
import { resolveLimits } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import { createMemoryStore } from "../memory-store.ts";
import { openStore } from "../open-store.ts";
import type { StoreOptions } from "../open-store.ts";
import { newConversationId } from "../port/store.ts";
import type { ConversationKey, Store } from "../port/store.ts";

/** A folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in a database, closed after the test. */
export async function openTestStore(database: string, options: Omit<StoreOptions, "database"> = {}): Promise<Store> {
  // Nothing expires: tests use fixed dates.
  const limits = { pruneTime: 0, ...options.limits };
  const store = await openStore({ database, ...options, limits });
  onTestFinished(() => store.close());
  return store;
}

/** Opens a new, empty store with these limits. */
export type CreateStore = (limits?: Partial<Limits>) => Promise<Store>;

/** Returns the address of a new, empty database, by kind. */
export const databaseKinds: readonly [string, () => Promise<string>][] = [
  ["SQLite", async () => join(makeFolder(), "hub.db")],
  ["PostgreSQL", newDatabase],
];

export const lastingKinds = databaseKinds.map(([name, make]): [string, CreateStore] => [
  name,
  async (limits = {}) => openTestStore(await make(), { limits }),
]);

export const storeKinds: readonly [string, CreateStore][] = [
  ["memory", async (limits) => createMemoryStore(limits ? { limits: resolveLimits(limits) } : {})],
  ...lastingKinds,
];

export function newKey(principal = "ada"): ConversationKey {
  return { principal, id: newConversationId() };
}

/** Messages with these texts. */
export function say(...texts: readonly string[]) {
  return texts.map((content) => ({ role: "user", content }));
}

export async function textsOf(store: Store, key: ConversationKey): Promise<readonly unknown[] | undefined> {
  return (await store.read(key))?.messages.map(({ content }) => content);
}
