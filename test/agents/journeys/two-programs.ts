import { expect } from "vitest";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const twoPrograms: Journey = {
  title: "another program at the same time",
  isSlow: true,
  async run({ machine, agent, other }) {
    const both = [agent, await other()];
    machine.forget();
    const [own] = await Promise.all(
      both.map(async ({ program, talk }) => {
        const conversation = await talk(
          call(program, "get_stock", { shelf: "A" }),
          call(program, "reserve", { sku: "A-1" }),
          say("Done."),
        );
        expect(lastResult(conversation.requests[1])).toContain("Crème brûlée");
        expect(lastResult(conversation.requests[2])).toContain("Reserved one A-1.");
        return conversation;
      }),
    );
    expect([machine.ran("get_stock"), machine.ran("reserve")]).toEqual([2, 2]);
    return {
      result: `each call ran, and each program (beside it ${both[1]?.program.title}) got its own results`,
      ms: own?.ms ?? 0,
    };
  },
};
