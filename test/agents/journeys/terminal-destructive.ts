import { expect } from "vitest";
import { ask, sayYes, told } from "../support/person.ts";
import { whileRuleAsks } from "../support/rule-asks.ts";
import { call, lastResult, say } from "./journey.ts";
import type { Journey, Outcome, Stage } from "./journey.ts";

export const terminalDestructive: Journey = {
  title: "in a terminal: a destructive tool",
  isSlow: true,
  run: clearShelf,
};

export const terminalRuleAsks: Journey = {
  title: "in a terminal: a destructive tool that a rule of the hub asks about",
  isSlow: true,
  run: (stage) => whileRuleAsks(stage.machine, stage.agent, () => clearShelf(stage)),
};

export const terminalOnlyRuleAsks: Journey = {
  title: "in a terminal: the same, where its user has allowed all tools of the hub in the program",
  isSlow: true,
  run: (stage) => {
    const { machine, agent } = stage;
    const { allowed } = agent.program.inTerminal;
    return whileRuleAsks(machine, agent, () => agent.withSetting(allowed(agent.place), () => clearShelf(stage)));
  },
};

function clearShelf(stage: Stage): Promise<Outcome> {
  const { machine, agent } = stage;
  const turns = [call(agent.program, "clear_shelf", { shelf: "A" }), say("That is all.")];
  return agent.inTerminal(turns, async (terminal) => {
    const began = performance.now();
    await ask(agent, terminal);
    const { asked, screen } = await sayYes(stage, terminal, { tool: "clear_shelf", until: /That is all\./ });
    const ms = Math.round(performance.now() - began);
    expect(lastResult(agent.model.requests[1])).toContain("Shelf A is empty.");
    expect(machine.ran("clear_shelf")).toBe(1);
    return { result: `${told(asked)}; it runs once`, ms, screen };
  });
}
