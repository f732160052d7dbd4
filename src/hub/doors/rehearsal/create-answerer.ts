// From a request, however it came, to the reply: what HTTP and the call inside the process have in common.
import { loadJsonSchemaValidator } from "../../../toolbox/index.ts";
import { PagewireError, parseJsonObject } from "../../../wire/index.ts";
import type { Json } from "../../../wire/index.ts";
import { idOf } from "./formats/format.ts";
import type { Asked } from "./formats/format.ts";
import { Refusal, statusOfRefusal } from "./formats/refusal.ts";
import type { RefusalKind } from "./formats/refusal.ts";
import { UnanswerableSchema, rehearse } from "./model/rehearse.ts";
import { findOperation, vendorOf } from "./operations.ts";
import type { Operation, Place, Target } from "./operations.ts";
import { OutOfTime, withinTime } from "./within-time.ts";

export interface RehearsalOptions {
  /** Milliseconds between the pieces of a stream; a few when left out, so that one sees it stream. */
  readonly delay?: number;
  /** How many milliseconds reading a request and making its answer may take: a second when left out; it takes a few. */
  readonly longest?: number;
  /** Milliseconds since 1970, for the dates in sentences and the stamps of answers. */
  readonly now?: () => number;
  /** Hears of what should not have failed. */
  readonly onError?: (error: unknown) => void;
}

export interface Question extends Target {
  readonly body: string;
  header(name: string): string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly type: string;
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

export function createAnswerer({ longest = 1000, now = Date.now, onError }: RehearsalOptions = {}): Answerer {
  async function answer(question: Question): Promise<Reply> {
    const operation = findOperation(question);
    if ("gives" in operation) return reply(operation.gives);
    const asked = readAsked(question);
    const validate = await loadJsonSchemaValidator();
    return withinTime(longest, () =>
      "counts" in operation ? reply(operation.counts(asked)) : converse(operation, asked, { question, validate }),
    );
  }

  interface Talk {
    readonly question: Question;
    readonly validate: Awaited<ReturnType<typeof loadJsonSchemaValidator>>;
  }

  function converse(
    operation: Extract<Operation, { reads: unknown }>,
    asked: Asked,
    { question, validate }: Talk,
  ): Reply {
    const exchange = operation.reads(asked);
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
    return reply(vendor.error(refusal, idOf(place.path + refusal.message)), status);
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
