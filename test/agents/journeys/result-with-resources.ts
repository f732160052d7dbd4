import { expect } from "vitest";
import { call, lastResult, offerWarehouse, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const resultWithResources: Journey = {
  title: "a result with a text, a picture and a link as resources",
  async run(stage) {
    const { machine, agent } = stage;
    const { program, talk } = agent;
    await offerWarehouse(stage);
    const { requests, ms } = await talk(call(program, "list_browser_tabs"), call(program, "show_plan"), say("Seen."));
    const told = lastResult(requests[2]);
    expect(machine.ran("show_plan")).toBe(1);
    expect(told).toContain("Here it is.");
    const { images = 0 } = requests[2]?.results.at(-1) ?? {};
    const picture = images > 0 ? "there" : told.includes("iVBORw0KGgo") ? "as the text of its bytes" : "left out";
    const there = (words: string) => (told.includes(words) ? "there" : "left out");
    return {
      result: `the text: ${there("Gate 7.")}; the picture: ${picture}; the link: ${there("warehouse://plan")}`,
      ms,
    };
  },
};
