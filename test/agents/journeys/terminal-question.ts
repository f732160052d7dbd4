import { expect } from "vitest";
import { waitUntil } from "../../e2e/support/wait.ts";
import { ask } from "../support/person.ts";
import { waitsOf } from "../support/rule-asks.ts";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

const question = /How many A-1 shall come\?/;

export const terminalQuestion: Journey = {
  title: "in a terminal: a tool asks its user for a number",
  isSlow: true,
  async run({ machine, agent }) {
    const { program, model, place, pagewire } = agent;
    const { allowed, form } = program.inTerminal;
    const turns = [call(program, "order_more", { sku: "A-1" }), say("That is all.")];
    return agent.withSetting(allowed(place), () =>
      agent.inTerminal(turns, async (terminal) => {
        const began = performance.now();
        await ask(agent, terminal);
        if (form) await terminal.shows(question);
        const screen = terminal.screen();
        await form?.fill?.(terminal, "5");
        // Without a field for a number the program takes a bare yes, and has nothing to send.
        if (form) await terminal.press("Enter", () => !question.test(terminal.screen()));
        if (!form?.fill) {
          const waiting = await waitUntil(
            async () => (await waitsOf(agent))[0],
            () => `The hub's list does not have it:\n${terminal.screen()}`,
          );
          await pagewire("waits", "answer", waiting ?? "", "pieces=5");
        }
        await terminal.shows(/That is all\./);
        const ms = Math.round(performance.now() - began);
        expect(lastResult(model.requests[1])).toContain("Ordered 5 of A-1.");
        expect(machine.ran("order_more")).toBe(1);
        expect(await waitsOf(agent)).toEqual([]);
        return { result: `${whereAsked(form)}; the page gets the answer`, ms, screen };
      }),
    );
  },
};

function whereAsked(form: { readonly fill?: unknown } | undefined): string {
  if (form?.fill) return "asked in the terminal";
  if (form) return "asked in the terminal, which takes a yes and no number, then in the page and in the hub's list";
  return "asked in the page and in the hub's list";
}
