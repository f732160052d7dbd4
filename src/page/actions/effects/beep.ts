import type { Action } from "../registration/action.ts";

let last: Promise<unknown> = Promise.resolve();

/** A tone, to call the user to the page. Several play one after the other. */
export function beep(): Action {
  return {
    name: "beep",
    async handler({ frequency, duration }, { signal }) {
      const tone = { frequency: numberOr(440, frequency), seconds: numberOr(600, duration) / 1000, signal };
      const turn = last.then(async () => {
        if (signal.aborted) return;
        const { playTone } = await import("./play-tone.ts");
        await playTone(tone);
      });
      last = turn.catch(() => undefined);
      await turn;
      return "Beep played.";
    },
    options: {
      title: "Beep",
      description: "Plays a tone in the page.",
      inputSchema: {
        type: "object",
        properties: {
          frequency: { type: "number", minimum: 20, maximum: 20_000, description: "In hertz; 440 by default." },
          duration: { type: "number", minimum: 1, maximum: 10_000, description: "In milliseconds; 600 by default." },
        },
      },
    },
  };
}

function numberOr(usual: number, value: unknown): number {
  return typeof value === "number" ? value : usual;
}
