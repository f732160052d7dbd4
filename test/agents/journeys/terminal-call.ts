import { expect } from "vitest";
import { ask, sayYes, told } from "../support/person.ts";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const terminalCall: Journey = {
  title: "in a terminal: a call that only reads",
  isSlow: true,
  run: (stage) =>
    stage.agent.inTerminal(
      [call(stage.agent.program, "get_stock", { shelf: "A" }), say("That is all.")],
      async (terminal) => {
        const { machine, agent } = stage;
        const began = performance.now();
        await ask(agent, terminal);
        const { asked } = await sayYes(stage, terminal, { tool: "get_stock", until: /That is all\./ });
        const ms = Math.round(performance.now() - began);
        expect(lastResult(agent.model.requests[1])).toContain("Crème brûlée");
        expect(machine.ran("get_stock")).toBe(1);
        const isShown = terminal.screen().includes("Crème brûlée");
        return { result: `${told(asked)}; its result is ${isShown ? "" : "not "}on the screen`, ms };
      },
    ),
};
