import { expect } from "vitest";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const twoTabs: Journey = {
  title: "two tabs of one app: the model chooses one",
  async run({ machine, agent: { program, talk }, tab }) {
    const second = await machine.openTab();
    const [first, front] = [await machine.tabId(tab), await machine.tabId(second)];
    const { requests, ms } = await talk(
      call(program, "list_browser_tabs"),
      call(program, "get_stock", { shelf: "A", tabId: first }),
      call(program, "get_stock", { shelf: "A" }),
      say("Both."),
    );
    expect(lastResult(requests[1])).toContain(first);
    expect(lastResult(requests[1])).toContain(front);
    expect(lastResult(requests[3])).toContain("Crème brûlée");
    expect(await Promise.all([tab, second].map((each) => each.evaluate("globalThis.runs")))).toEqual([1, 1]);
    return { result: "the named tab, and without a name the one in front", ms };
  },
};
