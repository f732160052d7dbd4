// Follows a running call on behalf of one request: passes on what it says, puts its questions, and returns its result.
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { CallRequest } from "../../../switchboard/index.ts";
import type { Limits, Outcome } from "../../../wire/index.ts";
import { parseJson } from "../../../wire/index.ts";
import { resultOf } from "./outcome.ts";
import { createProgress } from "./progress.ts";
import { nextEvent } from "./running-call.ts";
import type { CallEvent, RunningCall } from "./running-call.ts";
import { unreadBytes } from "./web-exchange.ts";

/** A call that may outlive the request that began it. */
export interface Followed {
  readonly call: RunningCall;
  readonly request: CallRequest;
  /** The page's questions that have no answer yet, by the name that the page gave them. */
  readonly questions: Map<string, Question>;
  /** The requests that wait for it, and the last that were answered while it ran on. */
  readonly followers: Set<Follower>;
  /** How it ended, once that was read. */
  end: Outcome | undefined;
}

/** A request that took a call up, and whose client has not been heard to go away. */
export interface Follower {
  isAnswered: boolean;
}

export type Question = Extract<CallEvent, { kind: "ask" }>;

export interface FollowOptions {
  readonly context: ServerContext;
  readonly limits: Limits;
  /** Aborts when nobody is there to be answered; without it, the call is followed to its end. */
  readonly signal: AbortSignal | undefined;
  /** Whether the call was silent for too long already, before it was followed. */
  readonly isOverdue: boolean;
  /** Why the client cannot be asked this. */
  readonly problemWith: (question: Question) => string | undefined;
  /** Puts a question to the client on the spot; without it, questions end the request. */
  readonly ask: ((question: Question) => void) | undefined;
  /** What the request is answered with while its questions wait. */
  readonly suspend: () => Promise<Result>;
  /** Hears that the call ended. */
  readonly ended: () => void;
  /** What a page's own input_required result becomes on its way out. */
  readonly passOn: (result: Result) => Promise<Result>;
}

/** Resolves with what the request is answered with; rejects with MCP's error where that is its answer. */
export async function follow(followed: Followed, options: FollowOptions): Promise<Result> {
  const { call, request, questions } = followed;
  const { context, limits, signal } = options;
  const progress = createProgress(context);
  const put = (question: Question) => {
    const problem = options.problemWith(question);
    if (problem !== undefined) call.answer(question.ask, { code: "ask-unsupported", message: problem });
    else if (options.ask) options.ask(question);
    else questions.set(question.ask, question);
  };
  const isBehind = () => unreadBytes(context.http?.req) > limits.newsBytes;
  if (options.isOverdue) await progress.beat();
  for (;;) {
    if (followed.end) {
      await progress.settle();
      const result = resultOf(followed.end, request, limits);
      return followed.end.inputRequired ? options.passOn(result) : result;
    }
    signal?.throwIfAborted();
    const event =
      call.events.length === 0 && questions.size > 0 && !options.ask
        ? "asked"
        : await nextEvent(call, limits.progressTime, signal);
    if (event === "asked") return options.suspend();
    if (event === "silence") {
      if (!call.outcome) await progress.beat();
      continue;
    }
    switch (event.kind) {
      case "progress":
        if (!isBehind()) await progress.tell(event);
        break;
      case "log":
        if (!isBehind()) await context.mcpReq.log(event.level, parseLog(event.data, limits), event.logger);
        break;
      case "ask":
        put(event);
        break;
      case "ended":
        followed.end = event.outcome;
        options.ended();
        break;
    }
  }
}

function parseLog(text: string, { jsonDepth }: Limits): unknown {
  const data = parseJson(text, jsonDepth);
  return data === undefined ? text : data;
}
