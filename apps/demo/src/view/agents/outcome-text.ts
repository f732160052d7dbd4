import type { PageCallEvent } from "pagewire/page";

/** How a call ended, for people. */
export function outcomeText({ outcome = "outcome-unknown" }: PageCallEvent): string {
  return outcome === "ok" ? "done" : outcome.replaceAll("-", " ");
}
