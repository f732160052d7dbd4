import type { StoreReason } from "./store.ts";

const words: Readonly<Record<StoreReason, string>> = {
  full: "the hub's disk is full",
  "read-only": "the hub cannot write to its disk",
  away: "the hub's database does not answer",
  damaged: "what the hub has kept is damaged",
};

/** Why a store fails, as it ends a sentence for any user: never a place or a name. Empty where nobody knows. */
export function reasonWords(reason: StoreReason | undefined): string {
  return reason === undefined ? "" : `: ${words[reason]}`;
}
