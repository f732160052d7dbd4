import { expect } from "vitest";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const mendedCall: Journey = {
  title: "a tool fails, and its words let the model mend the call",
  async run({ machine, agent: { program, talk } }) {
    const { requests, calls, ms } = await talk(
      call(program, "reserve", { sku: "A-9" }),
      call(program, "reserve", { sku: "A-1" }),
      say("Reserved."),
    );
    expect(lastResult(requests[1])).toContain("There is no A-9. There are A-1 and A-2.");
    expect(lastResult(requests[2])).toContain("Reserved one A-1.");
    expect(machine.ran("reserve")).toBe(2);
    const marked = calls[0]?.isError ? "marked as an error" : "not marked as an error";
    return { result: `the page's words, ${marked}; the second call succeeds`, ms };
  },
};
