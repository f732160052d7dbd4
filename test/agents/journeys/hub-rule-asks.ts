import { expect } from "vitest";
import { underRule } from "../support/rule-asks.ts";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const hubRuleAsks: Journey = {
  title: "a destructive tool that a rule of the hub asks about",
  async run({ machine, agent }) {
    const { program, talk } = agent;
    const clear = () => talk(call(program, "clear_shelf", { shelf: "A" }), say("Done."));
    const { isAsked, ended } = await underRule(machine, agent, clear);
    const { requests, ms } = ended;
    const told = lastResult(requests[1]);
    if (!isAsked) return { result: `the program answers for its user: ${quoted(told)}`, ms };
    expect(told).toContain("Shelf A is empty.");
    return { result: "waits for its user, who is asked once and allows it; then it runs once", ms };
  },
};
