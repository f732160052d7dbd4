import { expect } from "vitest";
import { waitUntil } from "../../e2e/support/wait.ts";
import { ask } from "../support/person.ts";
import { call, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

/** An abort that has not come after this many milliseconds does not come by itself. */
const patience = 10_000;

export const terminalInterrupted: Journey = {
  title: "in a terminal: Esc during a call",
  isSlow: true,
  async run({ machine, agent }) {
    const { program, place } = agent;
    const { allowed, interrupt } = program.inTerminal;
    const turns = [call(program, "wait_for_delivery"), call(program, "get_stock", { shelf: "A" }), say("That is all.")];
    const aborted = () => machine.aborted("wait_for_delivery");
    const outcome = await agent.withSetting(allowed(place), () =>
      agent.inTerminal(turns, async (terminal) => {
        const began = performance.now();
        await ask(agent, terminal);
        await machine.started("wait_for_delivery");
        for (const shown of interrupt) await terminal.press("Escape", shown);
        await terminal.press("Escape", /interrupted|cancelled|aborted/i);
        const pressed = performance.now();
        await ask(agent, terminal);
        await terminal.shows(/That is all\./);
        expect(machine.ran("get_stock")).toBe(1);
        const ms = Math.round(performance.now() - began);
        if (aborted() === 1) return { fate: "is aborted", ms };
        const isAborted = await waitUntil(
          async () => aborted() === 1 || (performance.now() - pressed > patience ? "never" : undefined),
          () => "The wait does not end.",
        );
        const seconds = Math.round((performance.now() - pressed) / 1000);
        return {
          fate: isAborted === true ? `is aborted ${seconds} s later` : "is aborted only when its terminal is closed",
          ms,
        };
      }),
    );
    await expect.poll(aborted).toBe(1);
    return { result: `the handler's signal ${outcome.fate}; the program goes on`, ms: outcome.ms };
  },
};
