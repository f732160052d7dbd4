import type { Action } from "../action.ts";
import { shownText, showing } from "./viewing.ts";

/** Confetti for what went well. */
export function celebrate(): Action {
  return {
    name: "celebrate",
    async handler({ reason }) {
      const { throwConfetti } = await import("./confetti.ts");
      throwConfetti(shownText(reason));
      return showing("Celebration triggered!");
    },
    options: {
      title: "Celebrate",
      description: "Throws confetti over the page, for something that went well.",
      inputSchema: {
        type: "object",
        properties: { reason: { type: "string", description: "What there is to celebrate, in a few words." } },
      },
    },
  };
}
