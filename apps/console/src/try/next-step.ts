import type { HubOutcome } from "pagewire/hub-client";

const nextSteps: Readonly<Record<string, string>> = {
  "input-invalid": "Correct the arguments: the message names the field.",
  "arguments-malformed": "Correct the arguments: they must be a JSON object.",
  "tab-not-found": "The page was closed or disconnected. Choose one that is connected.",
  "tool-not-found": "The page does not offer it any more. Choose another one.",
  "offer-not-found": "The page does not offer it any more. Choose another one.",
  "tab-suspended": "Turn to the page, so that its browser lets it run, and try again.",
  "policy-denied": "The hub's policy denies it: npx pagewire policy show",
  "policy-unasked": "The hub's policy wants a person in front of the page to allow it. Open the page, and try again.",
  "hub-unreachable": "Start the hub: npx pagewire",
  "handler-failed": "Look at the page's own console: its handler threw this.",
};

/** The next step after an outcome without a result. */
export function nextStep({ code, ran }: Pick<HubOutcome, "code" | "ran">): string {
  const step = code === undefined ? undefined : nextSteps[code];
  if (step !== undefined) return step;
  if (ran === "no") return "It did not run, so that it is safe to try again.";
  if (ran === "maybe") return "Whether it ran is not known. Look at the page before you try it again.";
  return "It ran in the page. Look there before you try it again.";
}
