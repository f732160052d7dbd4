import { expect } from "vitest";
import type { ModelRequest } from "../model/model-format.ts";
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
    const count = call(program, "count_all", { seconds: time * 3 });
    const hasCounted = (request: ModelRequest | undefined) => lastResult(request).includes("4711");
    const { requests, ms } = await withSetting(program.allowSeconds(time, place), () =>
      talk(count, (request) => (hasCounted(request) ? { text: "Counted." } : count(request)), say("Not counted.")),
    );
    const told = lastResult(requests[1]);
    if (hasCounted(requests[1])) {
      expect(machine.ran("count_all")).toBe(1);
      return { result: "the program waits while there is progress: the result is whole", ms };
    }
    const runs = machine.ran("count_all");
    await expect.poll(() => machine.aborted("count_all") + machine.ended("count_all")).toBeGreaterThanOrEqual(runs);
    const fate = machine.aborted("count_all") === runs ? "is aborted" : "runs to its end";
    const next = runs === 1 ? "joins it" : "runs the tool again";
    return { result: `the program gives up: ${quoted(told)} The handler ${fate}; an equal call at once ${next}`, ms };
  },
};
