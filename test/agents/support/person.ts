// A person at a terminal: allows every call until the model has ended its turn.
import { expect } from "vitest";
import { waitUntil } from "../../e2e/support/wait.ts";
import type { Stage } from "../journeys/journey.ts";
import type { Agent } from "./agent.ts";
import { waitsOf } from "./rule-asks.ts";
import type { Terminal } from "./terminal.ts";

const prompt = "Do what the warehouse needs.";

/** Types a prompt, and waits until it has reached the model. */
export async function ask({ model }: Agent, terminal: Terminal): Promise<void> {
  const before = model.requests.length;
  await terminal.type(prompt);
  await terminal.press("Enter", () => model.requests.length > before);
}

type Asker = "the program" | "the hub in the terminal" | "the hub in its list";

/** In the question of a rule of the hub. */
const rulesWords = /wants to use/;

interface Answered {
  /** The sources of the questions, in order. */
  readonly asked: readonly Asker[];
  /** The screen with the first question. */
  readonly screen: string;
}

/** Answers until the screen shows these words. No call of this tool may begin before the last answer. */
export async function sayYes(
  { machine, agent }: Stage,
  terminal: Terminal,
  { tool, until }: { readonly tool: string; readonly until: RegExp },
): Promise<Answered> {
  const { approval, form } = agent.program.inTerminal;
  const asked: Asker[] = [];
  let first = "";

  async function next(): Promise<Asker | "nobody" | undefined> {
    const screen = terminal.screen();
    if (approval?.test(screen)) return "the program";
    if (rulesWords.test(screen)) return "the hub in the terminal";
    if (until.test(screen)) return "nobody";
    return !form && (await waitsOf(agent)).length > 0 ? "the hub in its list" : undefined;
  }

  for (;;) {
    const asker = await waitUntil(next, () => `Neither a question nor ${until}:\n${terminal.screen()}`);
    if (asker === undefined || asker === "nobody") return { asked, screen: first };
    asked.push(asker);
    first ||= terminal.screen();
    expect(machine.ran(tool)).toBe(0);
    if (asker === "the program" && approval) {
      await terminal.press("Enter", () => !approval.test(terminal.screen()));
    } else if (asker === "the hub in the terminal" && form) {
      await form.allow(terminal);
      await terminal.press("Enter", () => !rulesWords.test(terminal.screen()));
    } else {
      const [wait = ""] = await waitsOf(agent);
      await agent.pagewire("waits", "allow", wait);
    }
  }
}

/** How often a person was asked, and by whom. */
export function told(asked: readonly Asker[]): string {
  if (asked.length === 0) return "its user is not asked";
  const often = ["", "once", "twice"][asked.length] ?? `${asked.length} times`;
  return `its user is asked ${often}, by ${asked.join(" and by ")}`;
}
