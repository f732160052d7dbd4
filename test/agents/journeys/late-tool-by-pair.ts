import { expect } from "vitest";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const lateToolByPair: Journey = {
  title: "a tool that a call adds, by list_tab_tools and call_tab_tool",
  async run({ machine, agent: { program, talk }, tab }) {
    const tabId = await machine.tabId(tab);
    const { requests, ms } = await talk(
      call(program, "unlock"),
      call(program, "list_tab_tools", { tabId }),
      call(program, "call_tab_tool", { tabId, name: "open_safe" }),
      say("Seven coins."),
    );
    expect(lastResult(requests[2])).toContain("open_safe");
    expect(lastResult(requests[3])).toContain("The safe has 7 coins.");
    expect(machine.ran("open_safe")).toBe(1);
    return { result: "listed and called at once", ms };
  },
};
