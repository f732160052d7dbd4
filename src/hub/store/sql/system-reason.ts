import type { StoreReason } from "../store.ts";

const reasons: Readonly<Record<string, StoreReason>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read-only",
  EACCES: "read-only",
  EPERM: "read-only",
};

/** Why a place cannot be used, by what the system says of it. */
export function systemReason(error: unknown): StoreReason {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const reason = "code" in one && typeof one.code === "string" ? reasons[one.code] : undefined;
    if (reason) return reason;
  }
  return "away";
}
