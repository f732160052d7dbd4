import { expect } from "vitest";
import { offerWarehouse, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const namedResource: Journey = {
  title: "a resource of the page, named by its user",
  async run(stage) {
    const { machine, agent } = stage;
    const { program, talk, withSetting } = agent;
    if (!program.nameResource) return { notRun: "its user has no words for a resource without a terminal" };
    await offerWarehouse(stage);
    const { requests, ms } = await withSetting(program.nameResource("warehouse://plan"), () => talk(say("Read.")));
    const isThere = requests[0]?.instructions.includes("Gate 4.") ?? false;
    expect(machine.ran("plan")).toBe(isThere ? 1 : 0);
    return {
      result: isThere ? "the model gets its text with the user's words" : "the model gets the address only",
      ms,
    };
  },
};
