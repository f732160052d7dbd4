import { expect } from "vitest";
import type { Tab } from "../../e2e/support/tab.ts";
import { call, knows, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

/** A page may have 256 tools. */
const [tabs, each] = [5, 200];
const count = tabs * each;

export const thousandTools: Journey = {
  title: `${count} tools, of ${tabs} tabs`,
  async run({ machine, agent: { program, talk }, tab }) {
    await addTools(tab, 0);
    for (let index = 1; index < tabs; index++) await addTools(await machine.openTab(), index);
    const names = Array.from({ length: count }, (_, index) => `part_${index + 1}`);
    await machine.hasTools(names);
    // The first request of a program may still have the list of its last conversation.
    const { requests, ms } = await talk(
      call(program, "list_browser_tabs"),
      call(program, `part_${count}`),
      say("Many."),
    );
    const known = names.map((name) => knows(requests[1], program, name));
    const [whole, named] = ["with its schema", "by its name"].map((how) => known.filter((one) => one === how).length);
    const size = Math.round(JSON.stringify(requests[1]?.tools).length / 1024);
    const told = lastResult(requests[2]);
    const last = told.includes(`${count} pieces`) ? "the last one runs" : `the last one does not run: ${quoted(told)}`;
    expect(machine.ran(`part_${count}`)).toBe(told.includes(`${count} pieces`) ? 1 : 0);
    return { result: `${whole} with their schemas, ${named} by name; a request's tools are ${size} KB; ${last}`, ms };
  },
};

async function addTools(tab: Tab, index: number): Promise<void> {
  await tab.evaluate(`(() => {
    for (let number = ${index * each + 1}; number <= ${(index + 1) * each}; number++)
      tool("part_" + number, "Says how many pieces of part " + number + " there are.", object({}), () => number + " pieces");
  })()`);
}
