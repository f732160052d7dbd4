import { PagewireError, messageOf, shortMessage } from "../wire/index.ts";
import type { ErrorCode, OnError } from "../wire/index.ts";
import { checkSize } from "./check-size.ts";
import type { CallContext, CallEnvironment } from "./context.ts";
import { makeContext } from "./make-context.ts";
import type { MadeContext } from "./make-context.ts";
import { askRound, isForCaller, readRound } from "./rounds.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome } from "./toolbox.ts";
import type { ToolboxLimits } from "./toolbox-limits.ts";

/** What differs between the kinds of calls. */
export interface CallSteps {
  /** What is called, as in `tool "get_sales"`. */
  readonly name: string;
  /** How an answer that asks for input is sent; missing where none may. */
  readonly asking?: Sending;
  /** Finds the handler and checks its input; what it throws refuses the call. */
  prepare(): Promise<Handler>;
  /** What an error is, once the handler began. */
  fail(code: ErrorCode, message: string): CallOutcome;
}

/** The author's handler, and what makes an MCP result of its answer. */
export interface Handler {
  execute(context: CallContext): unknown;
  finish(answer: unknown): Result | Promise<Result>;
}

/** JSON text of an MCP result. */
export interface Result {
  readonly payload: string;
  readonly isError: boolean;
  /** It asks for input instead of being one. */
  readonly inputRequired?: true;
}

export interface RunNeeds {
  readonly limits: ToolboxLimits;
  readonly onError: OnError;
}

/** Runs one call to its one outcome. Never rejects; what comes of it after the environment's signal aborted is dropped. */
export async function runCall(environment: CallEnvironment, steps: CallSteps, needs: RunNeeds): Promise<CallOutcome> {
  const { signal } = environment;
  const made = makeContext(environment, needs.limits);
  // Before the handler can listen: what it still says when it is aborted comes too late.
  signal.addEventListener("abort", made.close);
  try {
    return await runSteps(steps, { ...needs, ...made, environment });
  } finally {
    signal.removeEventListener("abort", made.close);
    made.close();
  }
}

interface StepNeeds extends RunNeeds, MadeContext {
  readonly environment: CallEnvironment;
}

async function runSteps(steps: CallSteps, needs: StepNeeds): Promise<CallOutcome> {
  const { name, asking, prepare, fail } = steps;
  const { environment, limits, onError, ask } = needs;
  let { context } = needs;
  let handler: Handler;
  try {
    handler = await prepare();
  } catch (thrown) {
    return refused(name, thrown);
  }
  let hasAnswered = false;
  try {
    for (let round = 1; !context.signal.aborted; round++) {
      hasAnswered = false;
      const answer = await handler.execute(context);
      hasAnswered = true;
      const asked = asking && readRound(answer, asking);
      if (!asked) return resultOf(name, await handler.finish(answer), limits);
      if (isForCaller(asked, environment)) {
        return resultOf(name, { payload: asked.payload, isError: false, inputRequired: true }, limits);
      }
      context = { ...context, input: await askRound(asked, { ask, name, round }) };
    }
    return { kind: "aborted" };
  } catch (thrown) {
    // The caller is given no stack, so this is where the page's author can see it.
    if (!context.signal.aborted) onError(thrown, { stage: name });
    const code = codeOf(thrown);
    // A handler may throw errors of other calls, whose codes say nothing of this one; only its questions are this one's.
    const isOwn = hasAnswered || code?.startsWith("ask-");
    return fail((isOwn && code) || "handler-failed", shortMessage(messageOf(thrown)));
  }
}

function resultOf(name: string, result: Result, limits: ToolboxLimits): CallOutcome {
  checkSize(`The answer of ${name}`, result.payload, {
    limit: "frameBytes",
    most: limits.frameBytes - limits.headerBytes,
    code: "result-too-large",
    next: " Return less, or a part of it.",
  });
  return { kind: "result", ...result };
}

function refused(name: string, thrown: unknown): CallOutcome {
  const code = codeOf(thrown);
  const message = messageOf(thrown);
  if (code) return { kind: "refused", code, message: shortMessage(message) };
  return { kind: "refused", code: "internal-error", message: shortMessage(`The ${name} was not run: ${message}`) };
}

function codeOf(thrown: unknown): ErrorCode | undefined {
  return PagewireError.isInstance(thrown) ? thrown.code : undefined;
}
