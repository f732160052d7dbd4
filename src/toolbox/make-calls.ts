// Runs the tools, resources and prompts of a toolbox. Loaded on demand, so only load-calls.ts and index.ts import it.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { CallEnvironment } from "./context.ts";
import type { Entry } from "./entry.ts";
import { toolError, toolResult } from "./results.ts";
import type { AcceptAnswer } from "./results.ts";
import type { Registry } from "./registry.ts";
import { runCall } from "./run-call.ts";
import type { Handler } from "./run-call.ts";
import { everyObjectMatches } from "./schema.ts";
import { toData } from "./to-data.ts";
import type { CallOutcome, Toolbox, ToolboxLimits } from "./toolbox.ts";
import type { LoadValidator } from "./validate-json.ts";

export type Calls = Pick<Toolbox, "callTool" | "readResource" | "getPrompt" | "complete">;

/** The toolbox's internals that calls need. */
interface Inside {
  readonly registered: Pick<Registry<Entry>, "get" | "all">;
  readonly limits: ToolboxLimits;
  readonly loadValidator: LoadValidator;
  /** Loads a chunk once; after a failure the next call tries again. */
  readonly loadOnce: <Part>(load: () => Promise<Part>) => () => Promise<Part>;
  readonly onError: OnError;
}

export type MakeCalls = (inside: Inside) => Calls;

type OfferCalls = typeof import("./offer-calls.ts");

export const makeCalls: MakeCalls = (inside) => {
  const { registered, loadValidator } = inside;
  const loadChecks = inside.loadOnce(() => import("./accept-value.ts"));

  /** Runs a call of a resource, prompt or completion. */
  function runOffer(
    name: string,
    environment: CallEnvironment,
    find: (calls: OfferCalls) => Handler,
  ): Promise<CallOutcome> {
    return runCall(
      environment,
      {
        name,
        // Completions never ask the user.
        mayAsk: name !== completion,
        prepare: async () => find(await import("./offer-calls.ts")),
        fail: (code, message) => ({ kind: "failed", code, message }),
      },
      inside,
    );
  }

  return {
    callTool(tool, input = {}, environment) {
      const name = `tool "${tool}"`;
      /** Finds the tool's handler and validates its input; its result is validated later. */
      async function prepare(): Promise<Handler> {
        const entry = registered.get("tools", tool);
        if (!entry) {
          throw new PagewireError(
            "tool-not-found",
            `There is no ${name} here. List the tools again to see what there is.`,
          );
        }
        const { definition, input: schema, output } = entry;
        if (!isJsonObject(input)) {
          throw new PagewireError("arguments-malformed", `The arguments of ${name} are not a JSON object.`);
        }
        // Load the result's validator before the handler runs: a failed download must not lose the result.
        const isChecked = output ?? schema.standard ?? !everyObjectMatches(schema.json);
        const checks = isChecked ? await loadChecks() : undefined;
        if (output && !output.standard) await loadValidator();
        const accepted = checks
          ? await checks.acceptValue(schema, input, { tool, side: "input", loadValidator })
          : input;
        const accept: AcceptAnswer | undefined =
          output &&
          checks &&
          ((value, sending) => {
            const seen = output.standard ? value : toData(value, sending);
            return checks.acceptValue(output, seen, { tool, side: "output", loadValidator });
          });
        return {
          execute: (context) => definition.execute(accepted, context),
          finish: (answer, sending) => toolResult(answer, sending, accept),
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
