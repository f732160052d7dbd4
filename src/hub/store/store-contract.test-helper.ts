import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createFileStore } from "./file-store.ts";
import type { FileStoreOptions } from "./file-store.ts";
import { createMemoryStore } from "./memory-store.ts";
import { newConversationId } from "./store.ts";
import type { ConversationKey, Store } from "./store.ts";

/** A folder that is gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in files, closed after the test. */
export function openFiles(directory: string, options: Omit<FileStoreOptions, "directory"> = {}): Store {
  const store = createFileStore({ directory, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Every kind of store that there is, new and empty. */
export const storeKinds: readonly [string, (limits?: FileStoreOptions["limits"]) => Store][] = [
  ["memory", (limits) => createMemoryStore(limits ? { limits } : {})],
  ["files", (limits) => openFiles(makeFolder(), limits ? { limits } : {})],
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
