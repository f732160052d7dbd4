import { expect } from "vitest";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const refusedInput: Journey = {
  title: "input that the schema refuses",
  async run({ machine, agent: { program, talk } }) {
    const { requests, ms } = await talk(
      call(program, "get_stock", { shelf: "Z" }),
      call(program, "get_stock", { shelf: "B" }),
      say("Nothing there."),
    );
    const refusal = lastResult(requests[1]);
    expect(refusal).toMatch(/shelf/);
    expect(lastResult(requests[2])).toContain('"items":[]');
    expect(machine.ran("get_stock")).toBe(1);
    return { result: `does not run: ${quoted(refusal)}`, ms };
  },
};
