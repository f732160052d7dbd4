// Runs one call of whatever a toolbox holds to its one outcome.
import { PagewireError, isJsonObject, messageOf, shortMessage } from "../wire/index.ts";
import type { ErrorCode, OnError } from "../wire/index.ts";
import { checkSize, deepestPart } from "./to-json.ts";
import type { CallContext, CallEnvironment } from "./context.ts";
import { isOver, loadRounds, makeContext } from "./make-context.ts";
import type { OpenCall } from "./make-context.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome, ToolboxLimits } from "./toolbox.ts";

/** What differs between the kinds of calls. */
export interface CallKind {
  /** What is called, as in `tool "get_sales"`. */
  readonly name: string;
  /** Whether the answer may ask for input first. */
  readonly mayAsk?: boolean;
  /** Finds the handler and checks its input; what it throws refuses the call. */
  prepare(): Promise<Handler>;
  /** What an error is, once the handler began. */
  fail(code: ErrorCode, message: string): CallOutcome;
}

/** The author's handler, and what makes an MCP result of its answer. */
export interface Handler {
  execute(context: CallContext): unknown;
  finish(answer: unknown, sending: Sending): Result | Promise<Result>;
}

/** JSON text of an MCP result. */
export interface Result {
  readonly payload: string;
  readonly isError: boolean;
  /** It asks for input instead of being one. */
  readonly inputRequired?: true;
}

/** Runs one call. Never rejects; what comes of it after it was aborted is dropped. */
export async function runCall(
  environment: CallEnvironment,
  { name, mayAsk, prepare, fail }: CallKind,
  { limits, onError }: { readonly limits: ToolboxLimits; readonly onError: OnError },
): Promise<CallOutcome> {
  const call: OpenCall = { environment, limits, isClosed: false };
  let context = makeContext(call);
  const what = `The answer of ${name}`;
  const sending: Sending = { what, code: "result-unsendable", deepest: deepestPart(limits) };
  let handler: Handler;
  let hasAnswered = false;
  try {
    try {
      handler = await prepare();
    } catch (thrown) {
      return refused(name, thrown);
    }
    for (let round = 1; !isOver(call); round++) {
      hasAnswered = false;
      const answer = await handler.execute(context);
      hasAnswered = true;
      const result =
        mayAsk && isJsonObject(answer) && answer["resultType"] === "input_required"
          ? await (await loadRounds()).takeRound(answer, { call, sending, name, round })
          : await handler.finish(answer, sending);
      if (!("payload" in result)) {
        context = { ...context, input: result };
        continue;
      }
      checkSize(what, result.payload, {
        limit: "frameBytes",
        most: limits.frameBytes - limits.headerBytes,
        code: "result-too-large",
        next: " Return less, or a part of it.",
      });
      return { kind: "result", ...result };
    }
    return { kind: "aborted" };
  } catch (thrown) {
    // The caller is given no stack, so this is where the page's author can see it.
    if (!isOver(call)) onError(thrown, { stage: name });
    const code = codeOf(thrown);
    // A handler may throw errors of other calls, whose codes say nothing of this one; only its questions are this one's.
    const isOwn = hasAnswered || code?.startsWith("ask-");
    return fail((isOwn && code) || "handler-failed", shortMessage(messageOf(thrown)));
  } finally {
    call.isClosed = true;
    call.end?.();
  }
}

function refused(name: string, thrown: unknown): CallOutcome {
  const code = codeOf(thrown);
  const message = `${code ? "" : `The ${name} was not run: `}${messageOf(thrown)}`;
  return { kind: "refused", code: code ?? "internal-error", message: shortMessage(message) };
}

function codeOf(thrown: unknown): ErrorCode | undefined {
  return PagewireError.isInstance(thrown) ? thrown.code : undefined;
}
