// The session of a client of MCP 2025-11-25 or older: survives restarts of hubs without the client noticing.
import { PagewireError, messageOf } from "../../wire/index.ts";
import { unlessAborted } from "../console/interrupts.ts";
import { replaySession, sessionHeaders } from "./legacy-session.ts";
import { RefusedByHub } from "./failure.ts";
import { returnTimeout } from "./upstream/hub-finder.ts";
import type { LaneOptions } from "./lane.ts";
import type { Session, SessionMemory } from "./legacy-session.ts";
import { missedChanges } from "./message.ts";
import type { Message } from "./message.ts";
import { keepStream } from "./session-stream.ts";
import { waitAfter } from "./upstream/wait.ts";

export interface LegacySessionsOptions extends LaneOptions {
  readonly memory: SessionMemory;
  /** Receives the messages that the hub sends unrequested. */
  onMessage(message: Message, session: Session): void;
  /** No hub knows this session any more. */
  onLost(session: Session): void;
}

export interface LegacySessions {
  /** The session that is known to a hub, as far as is known here. */
  readonly current: Session | undefined;
  /** The session to use, as soon as there is one again; undefined where the client has begun none. */
  ready(signal: AbortSignal): Promise<Session | undefined>;
  /** The client has begun this session. */
  begin(session: Session): void;
  /** Opens the stream for messages that the hub sends unrequested. */
  openStream(): void;
  /** The hub does not know this session; it is begun again. */
  lost(session: Session): void;
  /** Ends the session at the hub. */
  close(): Promise<void>;
}

interface Waiter {
  resolve(session: Session): void;
  reject(error: unknown): void;
}

/** The timeout for ending a session at the hub. */
const goodbyeTimeout = 1000;

export function createLegacySessions(options: LegacySessionsOptions): LegacySessions {
  const { hub, output, waiting, note, memory, onMessage, onLost } = options;
  const closing = new AbortController();
  const waiters = new Set<Waiter>();
  let current: Session | undefined;
  let stream = new AbortController();

  function begin(session: Session): void {
    const before = current;
    current = session;
    stream.abort();
    if (before !== undefined) void end(before);
  }

  function openStream(): void {
    const session = current;
    if (session === undefined || closing.signal.aborted) return;
    stream.abort();
    stream = new AbortController();
    const told = (message: Message) => onMessage(message, session);
    const { signal } = stream;
    keepStream({ hub, output, waiting, session, signal, onMessage: told, onGap: () => tellMissed(session) }).then(
      (why) => why === "unknown-session" && lost(session),
      // It was closed here.
      () => {},
    );
  }

  function lost(session: Session): void {
    if (session !== current || closing.signal.aborted) return;
    current = undefined;
    stream.abort();
    onLost(session);
    note("The hub does not know this session any more. It is taken up again as soon as there is a hub.");
    void renew();
  }

  async function renew(): Promise<void> {
    for (let attempt = 0; current === undefined && !closing.signal.aborted; attempt++) {
      try {
        const session = await replaySession({ hub, memory, signal: closing.signal, note });
        // The client may have started one itself.
        if (current === undefined) takeUp(session);
        else void end(session);
      } catch (error) {
        if (error instanceof RefusedByHub) for (const { reject } of waiters) reject(error);
        // One retry is enough: a persistent error stays the same.
        if (attempt === 0 && !closing.signal.aborted)
          note(`The session is not taken up again yet: ${messageOf(error)}`);
        await waiting.pause(waitAfter(attempt), closing.signal).catch(() => {});
      }
    }
  }

  function takeUp(session: Session): void {
    begin(session);
    note("The session was taken up again.");
    openStream();
    tellMissed(session);
    for (const { resolve } of waiters) resolve(session);
  }

  function tellMissed({ lists }: Session): void {
    const { resources } = memory;
    for (const text of missedChanges({ isSubscribed: (list) => lists.includes(list), resources })) output.send(text);
  }

  async function ready(signal: AbortSignal): Promise<Session | undefined> {
    if (current !== undefined || memory.initialize === undefined) return current;
    await hub.reach(signal);
    return current ?? (await nextSession(signal));
  }

  async function nextSession(signal: AbortSignal): Promise<Session> {
    const limit = new AbortController();
    try {
      return await new Promise<Session>((resolve, reject) => {
        const waiter = { resolve, reject };
        waiters.add(waiter);
        const stop = AbortSignal.any([limit.signal, signal]);
        waiting
          .pause(returnTimeout, stop)
          .then(() => reject(noSession()), reject)
          .finally(() => waiters.delete(waiter));
      });
    } finally {
      limit.abort();
    }
  }

  async function end(session: Session): Promise<void> {
    if (session.id === undefined) return;
    const signal = AbortSignal.timeout(goodbyeTimeout);
    try {
      const headers = sessionHeaders(session);
      const sent = hub.send({ method: "DELETE", headers, signal, effort: "look" });
      (await unlessAborted(sent, signal)).resume();
    } catch (error) {
      note(`The hub did not hear that the session is over: ${messageOf(error)}`);
    }
  }

  return {
    get current() {
      return current;
    },
    ready,
    begin,
    openStream,
    lost,
    async close() {
      closing.abort();
      stream.abort();
      if (current !== undefined) await end(current);
    },
  };
}

function noSession(): PagewireError {
  return new PagewireError(
    "hub-unreachable",
    `No hub took the session up again within ${returnTimeout / 1000} seconds.`,
  );
}
