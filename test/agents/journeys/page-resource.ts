import { expect } from "vitest";
import type { SeenResult } from "../model/model-format.ts";
import { ask, call, lastResult, offerWarehouse, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const pageResource: Journey = {
  title: "a resource of the page, read by the model",
  async run(stage) {
    const { machine, agent, tab } = stage;
    const { program, talk } = agent;
    await offerWarehouse(stage);
    const { resources } = program;
    if (!resources) {
      const { requests, ms } = await talk(say("Hello."));
      expect(requests[0]?.tools.filter(({ name }) => /resource/i.test(name))).toEqual([]);
      return { result: "the program has no tool for resources", ms };
    }
    const { requests, ms } = await talk(
      // The first request of a program may still have the list of its last conversation.
      call(program, "list_browser_tabs"),
      resources.list ? ask(resources.list) : call(program, "list_browser_tabs"),
      ask(resources.read("warehouse://plan")),
      async () => {
        await tab.evaluate(`void (plan = "Gate 9.", pagewire.resourceUpdated("warehouse://plan"))`);
        return { call: resources.read("warehouse://plan") };
      },
      ask(resources.read("warehouse://shelves/B")),
      ask(resources.read("warehouse://photo")),
      say("Read."),
    );
    if (resources.list) expect(lastResult(requests[2])).toContain("warehouse://plan");
    expect(lastResult(requests[3])).toContain("Gate 4.");
    expect(lastResult(requests[4])).toContain("Gate 9.");
    expect(machine.ran("plan")).toBe(2);
    const listed = resources.list ? "listed and read" : "read, where the model has its address";
    const shelf = lastResult(requests[5]);
    const byTemplate = shelf.includes("15 pieces") ? "read" : quoted(shelf);
    const photo = pictureIn(requests[6]?.results.at(-1));
    return { result: `${listed}; after a change: as it is now; by a template: ${byTemplate}; a picture: ${photo}`, ms };
  },
};

/** How the model gets a picture that a program has read. */
function pictureIn({ text, images }: SeenResult = { text: "", images: 0 }): string {
  if (images > 0) return "the model sees it";
  if (text.includes("iVBORw0KGgo")) return "its bytes as text";
  if (/saved/i.test(text)) return "saved to a file, whose path the model gets";
  return `not there, ${quoted(text)}`;
}
