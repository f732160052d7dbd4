import { expect } from "vitest";
import { offerWarehouse, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const pagePrompt: Journey = {
  title: "a prompt of the page, used by its user",
  async run(stage) {
    const { program, talk, withSetting } = stage.agent;
    if (!program.usePrompt) return { notRun: "its user has no words for a prompt without a terminal" };
    await offerWarehouse(stage);
    const setting = program.usePrompt("stocktaking", "shelf", "B");
    const { requests, ms } = await withSetting(setting, () => talk(say("Counted.")));
    expect(requests[0]?.instructions).toContain("Count shelf B twice.");
    return { result: "the model gets the prompt's text, with the user's argument in it", ms };
  },
};
