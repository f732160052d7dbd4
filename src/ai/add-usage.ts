import type { AiUsage } from "./types.ts";

/** What two answers used together. */
export function addUsage(one: AiUsage | null, other: AiUsage | null): AiUsage | null {
  if (!one || !other) return one ?? other;
  const sum: AiUsage = { ...one };
  for (const [name, count] of Object.entries(other)) {
    const key = name as keyof AiUsage;
    sum[key] = (sum[key] ?? 0) + Number(count);
  }
  return sum;
}
