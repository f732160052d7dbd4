import type { StoreReason } from "./store.ts";

const reasons: Readonly<Record<string, StoreReason>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read-only",
  EACCES: "read-only",
  EPERM: "read-only",
};

/** The reason of a system error. */
export function systemReason(error: unknown): StoreReason {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const reason = "code" in one && typeof one.code === "string" ? reasons[one.code] : undefined;
    if (reason) return reason;
  }
  return "away";
}

const words: Readonly<Record<StoreReason, string>> = {
  full: "the hub's disk is full",
  "read-only": "the hub cannot write to its disk",
  away: "the hub's database does not answer",
  damaged: "what the hub has kept is damaged",
};

/** The reason as the end of a sentence for any user, without paths or names. Empty if it is unknown. */
export function reasonWords(reason: StoreReason | undefined): string {
  return reason === undefined ? "" : `: ${words[reason]}`;
}
