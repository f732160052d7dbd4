// The session of a client of MCP 2025-11-25 or older: survives restarts of hubs without the client noticing.
import { PagewireError, messageOf } from "../../wire/index.ts";
import { unlessAborted } from "../console/interrupts.ts";
import { replaySession, sessionHeaders } from "./legacy-session.ts";
import { RefusedByHub } from "./failure.ts";
import { returnTimeout } from "./upstream/hub-finder.ts";
import type { LaneOptions } from "./lane.ts";
import type { Session, SessionMemory } from "./legacy-session.ts";
import { missedChanges, parseMessage } from "./message.ts";
import type { Message } from "./message.ts";
import { messagesOf } from "./reply.ts";
import type { Cursor } from "./reply.ts";
import { createAttempts, waitAfter } from "./upstream/wait.ts";

export interface LegacySessionsOptions extends LaneOptions {
  readonly memory: SessionMemory;
  /** Receives the messages that the hub sends unrequested. */
  onMessage(message: Message, session: Session): void;
  /** No hub knows this session any more. */
  onLost(session: Session): void;
}

interface Waiter {
  resolve(session: Session): void;
  reject(error: unknown): void;
}

/** The stream that ended, as far as it was read. */
interface StreamCursor extends Cursor {
  wasOpen?: true;
}

/** The timeout for ending a session at the hub. */
const endTimeout = 1000;

export class LegacySessions {
  readonly #options: LegacySessionsOptions;
  readonly #closing = new AbortController();
  readonly #waiters = new Set<Waiter>();
  #current: Session | undefined;
  #stream = new AbortController();

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
  }

  /** The session that is known to a hub, as far as is known here. */
  get current(): Session | undefined {
    return this.#current;
  }

  /** The session to use, as soon as there is one again; undefined where the client has begun none. */
  async ready(signal: AbortSignal): Promise<Session | undefined> {
    const { hub, memory } = this.#options;
    if (this.#current !== undefined || memory.initialize === undefined) return this.#current;
    await hub.reach(signal);
    return this.#current ?? (await this.#nextSession(signal));
  }

  /** The client has begun this session. */
  begin(session: Session): void {
    const before = this.#current;
    this.#current = session;
    this.#stream.abort();
    if (before !== undefined) void this.#end(before);
  }

  /** Opens the stream for messages that the hub sends unrequested. */
  openStream(): void {
    const session = this.#current;
    if (session === undefined || this.#closing.signal.aborted) return;
    this.#stream.abort();
    this.#stream = new AbortController();
    this.#keepStream(session, this.#stream.signal).then(
      (why) => why === "unknown-session" && this.lost(session),
      // It was closed here.
      () => {},
    );
  }

  /** The hub does not know this session; it is replayed. */
  lost(session: Session): void {
    if (session !== this.#current || this.#closing.signal.aborted) return;
    this.#current = undefined;
    this.#stream.abort();
    this.#options.onLost(session);
    this.#options.note("The hub does not know this session any more. It is taken up again as soon as there is a hub.");
    void this.#renew();
  }

  /** Ends the session at the hub. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stream.abort();
    if (this.#current !== undefined) await this.#end(this.#current);
  }

  async #renew(): Promise<void> {
    const { hub, memory, waiting, note } = this.#options;
    const { signal } = this.#closing;
    for (let attempt = 0; this.#current === undefined && !signal.aborted; attempt++) {
      try {
        const session = await replaySession({ hub, memory, signal, note });
        // The client may have started one itself.
        if (this.#current === undefined) this.#replayed(session);
        else void this.#end(session);
      } catch (error) {
        if (error instanceof RefusedByHub) for (const { reject } of this.#waiters) reject(error);
        // One retry is enough: a persistent error stays the same.
        if (attempt === 0 && !signal.aborted) note(`The session is not taken up again yet: ${messageOf(error)}`);
        await waiting.pause(waitAfter(attempt), signal).catch(() => {});
      }
    }
  }

  #replayed(session: Session): void {
    this.begin(session);
    this.#options.note("The session was taken up again.");
    this.openStream();
    this.#sendMissed(session);
    for (const { resolve } of this.#waiters) resolve(session);
  }

  #sendMissed({ lists }: Session): void {
    const { memory, output } = this.#options;
    const isSubscribed = (list: Session["lists"][number]) => lists.includes(list);
    for (const text of missedChanges({ isSubscribed, resources: memory.resources })) output.send(text);
  }

  async #nextSession(signal: AbortSignal): Promise<Session> {
    const limit = new AbortController();
    try {
      return await new Promise<Session>((resolve, reject) => {
        const waiter = { resolve, reject };
        this.#waiters.add(waiter);
        const stop = AbortSignal.any([limit.signal, signal]);
        this.#options.waiting
          .pause(returnTimeout, stop)
          .then(() => reject(noSession()), reject)
          .finally(() => this.#waiters.delete(waiter));
      });
    } finally {
      limit.abort();
    }
  }

  async #end(session: Session): Promise<void> {
    if (session.id === undefined) return;
    const { hub, note } = this.#options;
    const signal = AbortSignal.timeout(endTimeout);
    try {
      const headers = sessionHeaders(session);
      const sent = hub.send({ method: "DELETE", headers, signal, effort: "look" });
      (await unlessAborted(sent, signal)).resume();
    } catch (error) {
      note(`The hub could not be told that the session is over: ${messageOf(error)}`);
    }
  }

  /**
   * Keeps the stream open until the signal aborts, which rejects. Resolves with the reason if there is no stream: the
   * hub offers none, or does not know the session.
   */
  async #keepStream(session: Session, signal: AbortSignal): Promise<"not-offered" | "unknown-session"> {
    const cursor: StreamCursor = {};
    const attempts = createAttempts(this.#options.waiting);
    for (;;) {
      const status = await this.#readStream(session, signal, cursor).catch((error: unknown) => {
        // It is reopened after any error.
        if (signal.aborted) throw error;
        return 0;
      });
      if (status === 404) return "unknown-session";
      if (status === 405) return "not-offered";
      if (status === 400 && cursor.lastEventId !== undefined) {
        // The hub no longer has the messages since that event.
        delete cursor.lastEventId;
        continue;
      }
      await attempts.pause(signal, cursor.retry);
    }
  }

  /** Reads one stream to its end; resolves with the HTTP status. */
  async #readStream(session: Session, signal: AbortSignal, cursor: StreamCursor): Promise<number> {
    const { hub, output, onMessage } = this.#options;
    const resumed = cursor.lastEventId === undefined ? {} : { "last-event-id": cursor.lastEventId };
    const headers = { ...sessionHeaders(session), ...resumed };
    const reply = await hub.send({ method: "GET", headers, signal, effort: "wait" });
    const { statusCode = 0 } = reply;
    if (statusCode !== 200) {
      reply.resume();
      return statusCode;
    }
    // Without an event there is nothing to resume from, and changes may have been missed.
    if (cursor.wasOpen && cursor.lastEventId === undefined) this.#sendMissed(session);
    cursor.wasOpen = true;
    for await (const text of messagesOf(reply, cursor)) {
      onMessage(parseMessage(text), session);
      await output.room();
    }
    return statusCode;
  }
}

function noSession(): PagewireError {
  return new PagewireError(
    "hub-unreachable",
    `No hub took the session up again within ${returnTimeout / 1000} seconds.`,
  );
}
