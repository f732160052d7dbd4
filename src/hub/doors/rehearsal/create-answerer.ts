// From a request to the reply, as the rehearsal's thread works on it.
import { loadJsonSchemaValidator } from "../../../toolbox/index.ts";
import { parseJsonObject } from "../../../wire/index.ts";
import { idOf } from "./formats/format.ts";
import type { Asked, Exchange } from "./formats/format.ts";
import { Refusal } from "./formats/refusal.ts";
import { rehearse } from "./model/rehearse.ts";
import { findOperation } from "./operations.ts";
import type { Place } from "./operations.ts";
import { refusedReply } from "./refused-reply.ts";
import { jsonReply } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { createTimeShares } from "./time-share.ts";
import type { TimeShare } from "./time-share.ts";
import { OutOfTime, withinTime } from "./within-time.ts";

/** A request, however it came; made to cross to the thread. */
export interface Question extends Place {
  readonly method: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When it came: milliseconds since 1970, for the dates in sentences and the stamps of answers. */
  readonly at: number;
  /** Whose share of the thread's time it takes; undefined for one that has no bound. */
  readonly caller?: string | undefined;
}

export interface AnswererOptions {
  /** How many milliseconds one attempt to answer a short request may hold the thread: 100 when left out; it takes a few. */
  readonly longest?: number | undefined;
  /** How many one caller's requests may hold it in ten seconds. */
  readonly share: number;
  /** Hears of what should not have failed. */
  readonly onError: (error: unknown) => void;
}

export type Answer = (question: Question) => Promise<Reply>;

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

/** Never rejects: what cannot be answered is refused. */
export function createAnswerer({ longest = 100, share: most, onError }: AnswererOptions): Answer {
  const shares = createTimeShares({ most, now: () => performance.now() });

  async function answer(question: Question): Promise<Reply> {
    const { caller, query: search } = question;
    const operation = findOperation({ ...question, query: new URLSearchParams(search) });
    if ("gives" in operation) return jsonReply(operation.gives);
    const share = caller === undefined ? undefined : shares.of(caller);
    const asked = timed(() => readAsked(question), share);
    const validate = await loadJsonSchemaValidator();
    if ("counts" in operation) return timed(() => jsonReply(operation.counts(asked)), share);
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

  return (question) => answer(question).catch((error: unknown) => refusedReply(question, error, onError));
}

interface Talk {
  readonly question: Question;
  readonly validate: Awaited<ReturnType<typeof loadJsonSchemaValidator>>;
}

function converse(exchange: Exchange, { question, validate }: Talk): Reply {
  const { path, body, at } = question;
  const turn = rehearse(exchange.request, { today: new Date(at).toISOString().slice(0, 10), validate });
  const stamp = { id: idOf(path + body), created: Math.floor(at / 1000) };
  if (!exchange.streams) return jsonReply(exchange.answer(turn, stamp));
  const type = exchange.streamType ?? "text/event-stream; charset=utf-8";
  return { status: 200, type, parts: exchange.stream(turn, stamp) };
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

/** Every attempt has a turn of the event loop to itself: many requests have their turns one after the other. */
let lastTurn = Promise.resolve();

function nextTurn(): Promise<void> {
  return (lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve))));
}

function readAsked({ body, query, headers }: Question): Asked {
  const parsed = parseJsonObject(body, deepest);
  if (!parsed) throw new Refusal("json", `The body is not a JSON object of at most ${deepest} levels.`);
  return { body: parsed, query: new URLSearchParams(query), header: (name) => headers[name] };
}
