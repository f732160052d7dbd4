import { expect } from "vitest";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const picture: Journey = {
  title: "a picture",
  async run({ machine, agent: { program, talk } }) {
    const { requests, ms } = await talk(call(program, "take_picture"), say("Nice."));
    expect(machine.ran("take_picture")).toBe(1);
    expect(lastResult(requests[1])).toContain("The shelves from the door.");
    const images = requests[1]?.results.at(-1)?.images ?? 0;
    return {
      result: images > 0 ? "the model gets the text and the image" : "the model gets the text, not the image",
      ms,
    };
  },
};
