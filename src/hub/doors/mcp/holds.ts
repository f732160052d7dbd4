// Calls that wait for their client to come back with answers. The client is given a signed state that it cannot
// forge, and that is worth nothing to anybody else.
import { randomBytes } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, createRequestStateCodec } from "@modelcontextprotocol/server";
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { CallAnswer } from "../../../switchboard/index.ts";
import { parseJsonObject, sizeOf } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Followed } from "./follow.ts";

/** What a client carries from one round of questions to the next. */
export type RoundState =
  /** The call runs on, and waits. */
  | { readonly call: string; readonly of: string }
  /** The page ended the call with questions of its own, and wants this back. */
  | { readonly page: string | null; readonly tab: string | null; readonly of: string };

export interface Holds {
  verify(state: string, context: ServerContext): Promise<RoundState>;
  /** What the client is answered with when a running call has questions. */
  suspend(followed: Followed, context: ServerContext): Promise<Result>;
  /** What it is answered with when the page itself ended with questions. */
  passOn(followed: Followed, result: Result, context: ServerContext): Promise<Result>;
  /** The call that waits for these answers, with those that came given to it. */
  resume(state: Extract<RoundState, { call: string }>, responses: Readonly<Record<string, unknown>>): Followed;
  /** The request that took a call up was cut off: it is ended, unless another takes it up. */
  abandon(followed: Followed): boolean;
  /** The call has ended: its outcome is kept for a client that did not get it. */
  ended(followed: Followed): void;
  close(): void;
}

interface Held {
  readonly followed: Followed;
  stopTimer: () => void;
}

export function createHolds(limits: Limits, newId: () => string): Holds {
  const codec = createRequestStateCodec<RoundState>({
    key: randomBytes(32),
    ttlSeconds: Math.ceil(limits.callTimeMost / 1000),
    bind: ({ mcpReq, http }) => `${mcpReq.method}\n${http?.authInfo?.clientId ?? ""}`,
  });
  const held = new Map<string, Held>();
  const ids = new Map<Followed, string>();
  /** The calls that have ended, and what their outcomes keep in memory. */
  const ends = new Map<string, number>();
  let endBytes = 0;

  const drop = (id: string) => {
    const entry = held.get(id);
    entry?.stopTimer();
    if (entry) ids.delete(entry.followed);
    held.delete(id);
    endBytes -= ends.get(id) ?? 0;
    ends.delete(id);
  };
  /** Outcomes that nobody has fetched have the same bound as those of keyed calls; the oldest goes first. */
  const weigh = (id: string, { call, request }: Followed) => {
    if (!held.has(id) || ends.has(id)) return;
    const bytes = overhead + sizeOf(request.arguments) + sizeOf(call.outcome?.payload ?? "");
    ends.set(id, bytes);
    endBytes += bytes;
    for (const oldest of ends.keys()) {
      if (endBytes <= limits.keyBytes) return;
      drop(oldest);
    }
  };
  const dropLater = (id: string, time: number, run = () => {}) => {
    const entry = held.get(id);
    if (!entry) return;
    entry.stopTimer();
    const timer = setTimeout(() => {
      drop(id);
      run();
    }, time);
    entry.stopTimer = () => clearTimeout(timer);
  };
  const keep = (followed: Followed): string => {
    const id = ids.get(followed) ?? newId();
    if (!held.has(id)) held.set(id, { followed, stopTimer: () => {} });
    ids.set(followed, id);
    return id;
  };

  return {
    verify: (state, context) => codec.verify(state, context),
    async suspend(followed, context) {
      const { call, request, questions } = followed;
      const id = keep(followed);
      // Nobody hears progress until the client is back; an end is kept for a while.
      call.reader = undefined;
      call.whenEnded(() => weigh(id, followed));
      dropLater(id, limits.callTimeMost);
      // A question may have any name: one by one they would be set on a prototype.
      const inputRequests = Object.fromEntries(
        [...questions].map(([ask, { method, parameters }]) => [
          ask,
          { method, params: parseJsonObject(parameters, limits.jsonDepth) ?? {} },
        ]),
      );
      const requestState = await codec.mint({ call: id, of: request.name }, context);
      return { resultType: "input_required", inputRequests, requestState } as Result;
    },
    async passOn({ call, request }, result, context) {
      const { requestState } = result;
      const page = typeof requestState === "string" ? requestState : null;
      const state = await codec.mint({ page, tab: call.tabId ?? null, of: request.name }, context);
      return { ...result, resultType: "input_required", requestState: state };
    },
    resume({ call: id, of }, responses) {
      const entry = held.get(id);
      if (!entry || entry.followed.request.name !== of) throw staleState();
      const { followed } = entry;
      // One that was told already is kept no longer for being asked again.
      if (!followed.end) entry.stopTimer();
      for (const ask of followed.questions.keys()) {
        if (!Object.hasOwn(responses, ask)) continue;
        followed.questions.delete(ask);
        const answer: CallAnswer = { payload: JSON.stringify(responses[ask]) };
        followed.call.answer(ask, answer);
      }
      return followed;
    },
    abandon(followed) {
      const id = ids.get(followed);
      if (id === undefined) return false;
      dropLater(id, limits.cutTime, () => followed.call.cancel("The caller went away and did not come back."));
      return true;
    },
    ended(followed) {
      const id = ids.get(followed);
      if (id !== undefined) dropLater(id, limits.twinTime);
    },
    close() {
      for (const id of [...held.keys()]) drop(id);
    },
  };
}

/** What a call that has ended keeps in memory at least. */
const overhead = 1024;

/** What a state is answered with that was good once, or never. */
export function staleState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}
