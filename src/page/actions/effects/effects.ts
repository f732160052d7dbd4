import type { Action } from "../registration/action.ts";

/** Confetti over the page. */
export function celebrate(): Action {
  return {
    name: "celebrate",
    async handler({ reason }) {
      const { throwConfetti } = await import("./show.ts");
      throwConfetti(textOf(reason));
      return withVisibility("Celebration triggered!");
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

/** The bouncing ball of 1984. */
export function boing(): Action {
  return {
    name: "boing",
    async handler() {
      const { bounceBall } = await import("./show.ts");
      bounceBall();
      return withVisibility("Boing!");
    },
    options: { title: "Boing", description: "Lets a checkered ball bounce over the page for some seconds." },
  };
}

/** "Bob" with a quote, which the result holds too. */
export function bobdobbs(): Action {
  return {
    name: "bobdobbs",
    async handler({ reason }) {
      const { showBob } = await import("./show.ts");
      const quote = showBob(textOf(reason));
      const text = withVisibility('"Bob" has blessed this workspace.');
      return { content: [{ type: "text", text }], structuredContent: { quote } };
    },
    options: {
      title: "“Bob”",
      description: "Shows “Bob” and one of his sayings over the page, until somebody clicks.",
      inputSchema: { type: "object", properties: { reason: { type: "string", description: "What he blesses." } } },
    },
  };
}

/** Adds to a result why the effect does not show as usual. */
function withVisibility(text: string): string {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const still = isStill ? " It stands still: this browser asks for less motion." : "";
  const later = document.hidden ? " It shows once somebody looks at this tab." : "";
  return text + still + later;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim().slice(0, 200) : "";
}
