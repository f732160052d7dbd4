import { expect } from "vitest";
import { call, knows, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const newTool: Journey = {
  title: "a tool that is new since the last conversation",
  async run({ machine, agent: { program, talk }, tab }) {
    await talk(say("Hello."));
    await tab.evaluate(`void tool("weigh", "Weighs all.", object({}), () => "Nine tons.")`);
    await machine.hasTools(["weigh"]);
    const { requests, ms } = await talk(
      call(program, "get_stock", { shelf: "B" }),
      call(program, "weigh"),
      say("Heavy."),
    );
    expect(lastResult(requests[2])).toContain("Nine tons.");
    const at = requests.findIndex((request) => knows(request, program, "weigh") !== undefined);
    if (at === 0) return { result: "there from the first request", ms };
    if (at === -1) return { result: "the model gets no name of it; called, it runs", ms };
    return { result: `in request ${at + 1}: the first has the list of the last conversation`, ms };
  },
};
