// Runs what a toolbox holds. It may be loaded on demand, so only load-calls.ts and index.ts import it.
import type { CallEnvironment } from "./context.ts";
import { callTool } from "./call-tool.ts";
import type { MakeCalls, OfferHandler } from "./calls.ts";
import { mcpResult } from "./mcp-result.ts";
import { runCall } from "./run-call.ts";
import type { CallSteps } from "./run-call.ts";
import type { Sending } from "./to-json.ts";
import { toolError } from "./tool-result.ts";
import type { CallOutcome } from "./toolbox.ts";
import { deepestPart } from "./toolbox-limits.ts";

type OfferCalls = typeof import("./offer-calls.ts");

/** Makes the calls of a toolbox. */
export const makeCalls: MakeCalls = (needs) => {
  const { registered, limits } = needs;
  const answerOf = (name: string): Sending => ({
    what: `The answer of ${name}`,
    code: "result-unsendable",
    deepest: deepestPart(limits),
  });

  /** The steps of a call whose answer is an MCP result already. */
  function stepsOf(name: string, find: (calls: OfferCalls) => OfferHandler): CallSteps {
    return {
      name,
      async prepare() {
        const { execute, resultOf, check } = find(await import("./offer-calls.ts"));
        return {
          execute,
          finish: (answer) => ({ payload: mcpResult(resultOf(answer), answerOf(name), check), isError: false }),
        };
      },
      fail: (code, message) => ({ kind: "failed", code, message }),
    };
  }

  /** Runs a call whose handler may ask for input. */
  function run(environment: CallEnvironment, steps: CallSteps): Promise<CallOutcome> {
    return runCall(environment, { ...steps, asking: answerOf(steps.name) }, needs);
  }

  return {
    callTool(tool, input = {}, environment) {
      const name = `tool "${tool}"`;
      const prepare = () => callTool({ tool, input, answer: answerOf(name) }, needs);
      return run(environment, { name, prepare, fail: toolError });
    },
    readResource(uri, environment) {
      return run(
        environment,
        stepsOf(`resource "${uri}"`, ({ readResource }) => readResource(uri, registered)),
      );
    },
    getPrompt(prompt, input = {}, environment) {
      return run(
        environment,
        stepsOf(`prompt "${prompt}"`, ({ getPrompt }) => getPrompt(prompt, input, registered)),
      );
    },
    complete(parameters, environment) {
      const steps = stepsOf("completion", ({ complete }) => complete(parameters, registered));
      return runCall(environment, steps, needs);
    },
  };
};
