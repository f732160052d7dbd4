// The meaning of each outcome.
import type { OutcomeName } from "pagewire/wire";
import type { Tone } from "./ui/badge.tsx";

export const outcomeTexts: Readonly<Record<OutcomeName, { readonly text: string; readonly tone: Tone }>> = {
  ok: { text: "Done", tone: "ok" },
  "tool-error": { text: "The tool failed", tone: "bad" },
  rejected: { text: "Rejected", tone: "bad" },
  "not-delivered": { text: "Not delivered", tone: "bad" },
  "page-gone": { text: "The page is gone", tone: "bad" },
  "page-suspended": { text: "The page is suspended", tone: "wait" },
  "deadline-exceeded": { text: "Too late", tone: "bad" },
  cancelled: { text: "Cancelled", tone: "wait" },
  expired: { text: "Expired", tone: "wait" },
  "outcome-unknown": { text: "Outcome unknown", tone: "wait" },
};
