import { expect } from "vitest";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

/** The program's time for one call is set to this many seconds, and the tool takes three times as long. */
const time = 3;

export const longCall: Journey = {
  title: `a call with progress, of ${time * 3} s where the program allows ${time} s`,
  isSlow: true,
  async run({ machine, agent }) {
    const { program, place, withSetting, talk } = agent;
    if (!program.allowSeconds) return { notRun: "its time for a call cannot be set" };
    const { requests, ms } = await withSetting(program.allowSeconds(time, place), () =>
      talk(call(program, "count_all", { seconds: time * 3 }), say("Counted.")),
    );
    expect(machine.ran("count_all")).toBe(1);
    const told = lastResult(requests[1]);
    if (told.includes("4711")) return { result: "the program waits while there is progress: the result is whole", ms };
    await expect.poll(() => machine.aborted("count_all") + machine.ended("count_all")).toBeGreaterThan(0);
    const fate = machine.aborted("count_all") > 0 ? "is aborted" : "runs to its end";
    return { result: `the program gives up: ${quoted(told)} The handler ${fate}`, ms };
  },
};
