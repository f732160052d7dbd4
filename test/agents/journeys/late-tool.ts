import { expect } from "vitest";
import { call, knows, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

/** As many requests as the model waits for the tool. */
const patience = 4;

export const lateTool: Journey = {
  title: "a tool that a call adds",
  async run({ machine, agent: { program, talk } }) {
    const others = Array.from({ length: patience - 1 }, () => call(program, "get_stock", { shelf: "B" }));
    const { requests, ms } = await talk(call(program, "unlock"), ...others, say("Open."));
    expect(lastResult(requests[1])).toContain("The cellar is open.");
    expect(machine.ran("unlock")).toBe(1);
    const at = requests.findIndex((request) => knows(request, program, "open_safe") !== undefined);
    if (at === -1) return { result: `not in the next ${patience} requests`, ms };
    const when = at === 1 ? "the model's next request" : `the model's request ${at} after the call`;
    return { result: `in ${when}, ${knows(requests[at], program, "open_safe")}`, ms };
  },
};
