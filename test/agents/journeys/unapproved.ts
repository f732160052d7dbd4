import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const unapproved: Journey = {
  title: "a destructive tool that its user has not approved, and nobody to ask",
  async run({ machine, agent: { program, talkUnapproved } }) {
    const { requests, ms } = await talkUnapproved(call(program, "clear_shelf", { shelf: "A" }), say("Done."));
    if (machine.ran("clear_shelf") > 0) return { result: "runs: the program asks nobody about it", ms };
    if (!requests[1]?.results.length) return { result: "does not run, and the model gets no reason", ms };
    return { result: `does not run: ${quoted(lastResult(requests[1]))}`, ms };
  },
};
