// The settings that hubs share, as records of the kind "settings": `{ principal: "", name, at, value? }`. Each changes by itself,
// so that hubs which change different ones do not disturb each other. The key is a digest of the name.
import { hash } from "node:crypto";
import type { Store } from "../store/index.ts";

export interface Entry {
  /** When it was changed, in milliseconds since 1970. */
  readonly at: number;
  /** Undefined once it was removed. */
  readonly value: string | undefined;
}

export type SettingsStore = Pick<Store, "records" | "setRecord">;

/** How long a removed setting is remembered: a hub that was away for longer brings it back by its files. */
const removedTime = 366 * 24 * 60 * 60 * 1000;

export async function readEntries(store: SettingsStore): Promise<Map<string, Entry>> {
  const records = await store.records("settings", "");
  const found = new Map<string, Entry>();
  for (const { name, at, value } of records.values()) {
    if (typeof name !== "string" || typeof at !== "number") continue;
    found.set(name, { at, value: typeof value === "string" ? value : undefined });
  }
  return found;
}

export function writeEntry(
  store: SettingsStore,
  [name, { at, value }]: readonly [string, Entry],
  now: number,
): Promise<void> {
  const lasting = value === undefined ? { forgetAt: now + removedTime } : { value };
  return store.setRecord("settings", hash("sha256", name, "base64url"), { principal: "", name, at, ...lasting });
}
