import { expect } from "vitest";
import { call, knows, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const oneCall: Journey = {
  title: "a call, by stdio",
  async run({ machine, agent: { program, talk } }) {
    const { requests, calls, text, code, ms } = await talk(
      call(program, "get_stock", { shelf: "A" }),
      say("Three and twelve."),
    );
    const known = knows(requests[0], program, "get_stock") ?? "not at all";
    expect(machine.ran("get_stock")).toBe(1);
    expect(lastResult(requests[1])).toContain('{"sku":"A-1","name":"Crème brûlée ☕","left":3}');
    expect(requests[1]?.results).toHaveLength(1);
    expect([calls.length, calls[0]?.isError, text, code]).toEqual([1, false, "Three and twelve.", 0]);
    const copies = lastResult(requests[1]).split("A-1").length - 1;
    const times = copies === 1 ? "once" : `${copies} times`;
    return { result: `the model knows the tool ${known}; it ran once, and the result comes whole, ${times}`, ms };
  },
};
