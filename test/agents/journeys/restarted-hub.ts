import { expect } from "vitest";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const restartedHub: Journey = {
  title: "the hub restarts during the conversation",
  isSlow: true,
  async run({ machine, agent: { program, talk }, tab }) {
    const tabId = await machine.tabId(tab);
    const { requests, ms } = await talk(
      call(program, "get_stock", { shelf: "A" }),
      async () => {
        await machine.restartHub(tab);
        return { call: { tool: program.toolName("get_stock"), input: { shelf: "B" } } };
      },
      call(program, "call_tab_tool", { tabId, name: "reserve", arguments: { sku: "A-1" } }),
      say("Still there."),
    );
    expect(lastResult(requests[1])).toContain("Crème brûlée");
    expect(lastResult(requests[3])).toContain("Reserved one A-1.");
    const next = lastResult(requests[2]);
    const isWell = next.includes('"items":[]') || next.includes(String.raw`\"items\":[]`);
    expect([machine.ran("get_stock"), machine.ran("reserve")]).toEqual([isWell ? 2 : 1, 1]);
    if (isWell) return { result: "the next call succeeds, as if nothing had been", ms };
    return { result: `the next call does not run: ${quoted(next)} By call_tab_tool it runs`, ms };
  },
};
