// From a request, however it came, to the reply: what HTTP and the call inside the process have in common.
import { loadJsonSchemaValidator } from "../../../toolbox/index.ts";
import { PagewireError, parseJsonObject } from "../../../wire/index.ts";
import type { Json } from "../../../wire/index.ts";
import { idOf } from "./formats/format.ts";
import type { Asked, Exchange } from "./formats/format.ts";
import { Refusal, statusOfRefusal } from "./formats/refusal.ts";
import type { RefusalKind } from "./formats/refusal.ts";
import { UnanswerableSchema, rehearse } from "./model/rehearse.ts";
import { findOperation, vendorOf } from "./operations.ts";
import type { Place, Target } from "./operations.ts";
import type { TimeShare } from "./time-share.ts";
import { OutOfTime, withinTime } from "./within-time.ts";

export interface RehearsalOptions {
  /** Milliseconds between the pieces of a stream; a few when left out, so that one sees it stream. */
  readonly delay?: number;
  /** How many milliseconds one attempt to answer a short request may hold the thread: 20 when left out; it takes a few. */
  readonly longest?: number;
  /** Milliseconds since 1970, for the dates in sentences and the stamps of answers. */
  readonly now?: () => number;
  /** Hears of what should not have failed. */
  readonly onError?: (error: unknown) => void;
}

export interface Question extends Target {
  readonly body: string;
  /** What the caller may have of the thread's time; all of it where there is none. */
  readonly share?: TimeShare;
  header(name: string): string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly type: string;
  /** Headers of a refusal that says when to come back. */
  readonly headers?: Readonly<Record<string, number>>;
  /** One piece, or those of a stream. */
  readonly parts: readonly string[];
}

export interface Answerer {
  answer(question: Question): Promise<Reply>;
  /** The reply to a request that could not be answered. */
  refuse(place: Place, error: unknown): Reply;
}

/** How deep a request may nest. */
const deepest = 64;

/**
 * How often an answer is tried, each time in a turn of its own. Honest work may be out of time on a busy machine or
 * before it is compiled; it is done then at the next attempt.
 */
const attempts = 10;

/** A request of this size has twice the time: a long conversation takes longer to read. Ten times the time is the most. */
const usualBody = 256 * 1024;
const mostTimes = 10;

export function createAnswerer({ longest = 20, now = Date.now, onError }: RehearsalOptions = {}): Answerer {
  async function answer(question: Question): Promise<Reply> {
    const operation = findOperation(question);
    if ("gives" in operation) return reply(operation.gives);
    const { share } = question;
    const asked = timed(() => readAsked(question), share);
    const validate = await loadJsonSchemaValidator();
    if ("counts" in operation) return timed(() => reply(operation.counts(asked)), share);
    const exchange = timed(() => operation.reads(asked), share);
    const work = () => converse(exchange, { question, validate });
    const time = longest * Math.min(1 + question.body.length / usualBody, mostTimes);
    for (let attempt = 1; ; attempt++) {
      await nextTurn();
      try {
        return timed(() => withinTime(time, work), share);
      } catch (error) {
        if (!(error instanceof OutOfTime) || attempt === attempts) throw error;
      }
    }
  }

  interface Talk {
    readonly question: Question;
    readonly validate: Awaited<ReturnType<typeof loadJsonSchemaValidator>>;
  }

  function converse(exchange: Exchange, { question, validate }: Talk): Reply {
    const time = now();
    const turn = rehearse(exchange.request, { today: new Date(time).toISOString().slice(0, 10), validate });
    const stamp = { id: idOf(question.path + question.body), created: Math.floor(time / 1000) };
    if (!exchange.streams) return reply(exchange.answer(turn, stamp));
    const type = exchange.streamType ?? "text/event-stream; charset=utf-8";
    return { status: 200, type, parts: exchange.stream(turn, stamp) };
  }

  function refuse(place: Place, error: unknown): Reply {
    const vendor = vendorOf(place);
    const refusal = refusalOf(error);
    if (refusal.kind === "internal") onError?.(error);
    const status = vendor.status?.(refusal) ?? statusOfRefusal[refusal.kind];
    const refused = reply(vendor.error(refusal, idOf(place.path + refusal.message)), status);
    const retryAfter = PagewireError.isInstance(error) ? error.retryAfter : undefined;
    return retryAfter === undefined
      ? refused
      : { ...refused, headers: { "Retry-After": Math.ceil(retryAfter / 1000) } };
  }

  return {
    answer: async (question) => {
      try {
        return await answer(question);
      } catch (error) {
        return refuse(question, error);
      }
    },
    refuse,
  };
}

function timed<Result>(work: () => Result, share: TimeShare | undefined): Result {
  share?.check();
  const start = performance.now();
  try {
    return work();
  } finally {
    share?.spend(performance.now() - start);
  }
}

/** Every attempt of the process has a turn of the event loop to itself: many requests hold it no longer than one. */
let lastTurn = Promise.resolve();

function nextTurn(): Promise<void> {
  return (lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve))));
}

function reply(body: Json, status = 200): Reply {
  return { status, type: "application/json", parts: [JSON.stringify(body)] };
}

function readAsked({ body, query, header }: Question): Asked {
  const parsed = parseJsonObject(body, deepest);
  if (!parsed) throw new Refusal("json", `The body is not a JSON object of at most ${deepest} levels.`);
  return { body: parsed, query, header };
}

const kinds: Readonly<Record<string, RefusalKind>> = {
  "token-required": "credential",
  "token-invalid": "credential",
  "token-expired": "credential",
  "origin-not-allowed": "forbidden",
  "body-too-large": "too-large",
  "request-malformed": "json",
  "route-not-found": "not-found",
  "method-not-allowed": "method",
  "going-away": "stopping",
  "requests-too-many": "rate",
};

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof UnanswerableSchema) return new Refusal("value", error.message);
  if (error instanceof OutOfTime)
    return new Refusal(
      "value",
      `The rehearsal model needs ${error.message} for this request. Shorten its messages, or simplify its schemas and their patterns.`,
    );
  if (PagewireError.isInstance(error)) return new Refusal(kinds[error.code] ?? "internal", error.message);
  return new Refusal("internal", "Something failed inside the rehearsal model.");
}
