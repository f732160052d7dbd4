import { expect } from "vitest";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const closedTab: Journey = {
  title: "the tab closes during a call",
  isSlow: true,
  async run({ machine, agent: { program, start }, tab }) {
    const talk = await start(
      call(program, "wait_for_delivery"),
      call(program, "get_stock", { shelf: "A" }),
      say("The page is gone."),
    );
    await machine.started("wait_for_delivery");
    await tab.close();
    const { requests, ms } = await talk.ended;
    const told = lastResult(requests[1]);
    expect(told).toMatch(/tab|page/i);
    expect(lastResult(requests[2])).not.toContain("Crème");
    expect([machine.ran("wait_for_delivery"), machine.ran("get_stock")]).toEqual([1, 0]);
    return { result: `the model gets: ${quoted(told)}`, ms };
  },
};
