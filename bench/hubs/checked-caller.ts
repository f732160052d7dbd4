import { answerTo, argumentsFor } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";
import type { Caller } from "../harness/caller.ts";

/** A caller that looks whether what a model would be told is what the tool says. */
export function checkedCaller(call: () => Promise<string>, size: SizeName): Caller {
  const right = answerTo(argumentsFor(size))
    .content.map(({ text }) => text)
    .join("\n");
  return {
    async call() {
      const told = await call();
      if (told !== right)
        throw new Error(`A call's answer is "${told.slice(0, 500)}" instead of "${right.slice(0, 50)}…".`);
    },
    close() {},
  };
}
