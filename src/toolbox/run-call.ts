// Runs one call to its outcome: the steps that tools, resources, prompts and completions share.
import { PagewireError, isJsonObject, messageOf, shortMessage } from "../wire/index.ts";
import type { ErrorCode, OnError } from "../wire/index.ts";
import { checkSize, deepestPart } from "./to-json.ts";
import type { CallContext, CallEnvironment } from "./context.ts";
import { isOver, loadRounds, makeContext } from "./make-context.ts";
import type { OpenCall } from "./make-context.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome, ToolboxLimits } from "./toolbox.ts";

/** The steps that differ between kinds of calls. */
export interface CallKind {
  /** For messages, as in `tool "get_sales"`. */
  readonly name: string;
  /** Whether the result may require input. */
  readonly mayAsk?: boolean;
  /** Finds the handler and validates its input; an error refuses the call. */
  prepare(): Promise<Handler>;
  /** Converts an error after the handler began. */
  fail(code: ErrorCode, message: string): CallOutcome;
}

export interface Handler {
  execute(context: CallContext): unknown;
  finish(answer: unknown, sending: Sending): Result | Promise<Result>;
}

/** An error that a handler throws before it has done anything. */
export interface Undone {
  readonly isUndone: true;
}

/** JSON text of an MCP result. */
export interface Result {
  readonly payload: string;
  readonly isError: boolean;
  readonly inputRequired?: true;
}

/** Runs one call. Never rejects; output after an abort is dropped. */
export async function runCall(
  environment: CallEnvironment,
  { name, mayAsk, prepare, fail }: CallKind,
  { limits, onError }: { readonly limits: ToolboxLimits; readonly onError: OnError },
): Promise<CallOutcome> {
  const call: OpenCall = { environment, limits, isClosed: false };
  let context = makeContext(call);
  const what = `The answer of ${name}`;
  const sending: Sending = { what, code: "result-unsendable", deepest: deepestPart(limits) };
  let handler: Handler | undefined;
  let hasAnswered = false;
  try {
    handler = await prepare();
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
    const code = codeOf(thrown);
    const words = messageOf(thrown);
    if (!handler || (code && (thrown as Partial<Undone>).isUndone)) {
      const message = shortMessage(code ? words : `The ${name} was not run: ${words}`);
      return { kind: "refused", code: code ?? "internal-error", message };
    }
    // The caller gets no stack, so report the error where the page's author can see it.
    if (!isOver(call)) onError(thrown, { stage: name });
    // A handler may rethrow errors of other calls, whose codes do not apply here, except for its own questions.
    const isOwn = hasAnswered || code?.startsWith("ask-");
    return fail((isOwn && code) || "handler-failed", shortMessage(words));
  } finally {
    call.isClosed = true;
    call.end?.();
  }
}

function codeOf(thrown: unknown): ErrorCode | undefined {
  return PagewireError.isInstance(thrown) ? thrown.code : undefined;
}
