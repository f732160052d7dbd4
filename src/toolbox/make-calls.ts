// Runs what a toolbox holds. It may be loaded on demand, so only load-calls.ts and index.ts import it.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import { acceptValue } from "./accept-value.ts";
import type { CallEnvironment } from "./context.ts";
import type { Entry } from "./entry.ts";
import { mcpResult, toolError, toolResult } from "./results.ts";
import type { OfferHandler } from "./offer-calls.ts";
import type { Registry } from "./registry.ts";
import { runCall } from "./run-call.ts";
import type { Handler } from "./run-call.ts";
import type { CallOutcome, Toolbox, ToolboxLimits } from "./toolbox.ts";
import type { LoadValidator } from "./validate-json.ts";

/** The calls of a toolbox. */
export type Calls = Pick<Toolbox, "callTool" | "readResource" | "getPrompt" | "complete">;

/** The inside of the toolbox that calls belong to. */
interface Inside {
  readonly registered: Pick<Registry<Entry>, "get" | "all">;
  readonly limits: ToolboxLimits;
  readonly loadValidator: LoadValidator;
  readonly onError: OnError;
}

export type MakeCalls = (inside: Inside) => Calls;

type OfferCalls = typeof import("./offer-calls.ts");

/** Makes the calls of a toolbox. */
export const makeCalls: MakeCalls = (inside) => {
  const { registered, loadValidator } = inside;

  /** Runs a call whose answer is an MCP result already. */
  function runOffer(
    name: string,
    environment: CallEnvironment,
    find: (calls: OfferCalls) => OfferHandler,
  ): Promise<CallOutcome> {
    return runCall(
      environment,
      {
        name,
        // Nobody fills in a form to have a word completed.
        mayAsk: name !== completion,
        async prepare() {
          const { execute, resultOf, check } = find(await import("./offer-calls.ts"));
          return {
            execute,
            finish: (answer, sending) => ({ payload: mcpResult(resultOf(answer), sending, check), isError: false }),
          };
        },
        fail: (code, message) => ({ kind: "failed", code, message }),
      },
      inside,
    );
  }

  return {
    callTool(tool, input = {}, environment) {
      const name = `tool "${tool}"`;
      /** Finds the tool's handler and checks its input. The handler's answer is checked when it is there. */
      async function prepare(): Promise<Handler> {
        const entry = registered.get("tools", tool);
        if (!entry) {
          throw new PagewireError(
            "tool-not-found",
            `There is no ${name} here. List the tools again to see what there is.`,
          );
        }
        const { definition, output } = entry;
        if (!isJsonObject(input)) {
          throw new PagewireError("arguments-malformed", `The arguments of ${name} are not a JSON object.`);
        }
        const accepted = await acceptValue(entry.input, input, { tool, side: "input", loadValidator });
        // Now, because a call whose handler ran must not fail for want of it.
        if (output && !output.standard) await loadValidator();
        return {
          execute: (context) => definition.execute(accepted, context),
          finish: (answer, sending) => toolResult(answer, sending, output && { tool, output, loadValidator }),
        };
      }
      return runCall(environment, { name, mayAsk: true, prepare, fail: toolError }, inside);
    },
    readResource: (uri, environment) =>
      runOffer(`resource "${uri}"`, environment, ({ readResource }) => readResource(uri, registered)),
    getPrompt: (prompt, input = {}, environment) =>
      runOffer(`prompt "${prompt}"`, environment, ({ getPrompt }) => getPrompt(prompt, input, registered)),
    complete: (parameters, environment) =>
      runOffer(completion, environment, ({ complete }) => complete(parameters, registered)),
  };
};

const completion = "completion";
