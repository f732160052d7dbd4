// MCP 2025-11-25 and older: requests belong to a session, in which the hub may also send requests to the client.
import type { IncomingMessage } from "node:http";
import { messageOf } from "../../wire/index.ts";
import { RefusedByHub } from "./failure.ts";
import type { Flight, LaneOptions } from "./lane.ts";
import { sessionHeaders, sessionOf, createSessionMemory, sendToSession } from "./legacy-session.ts";
import type { Session } from "./legacy-session.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { notificationText, parseMessage } from "./message.ts";
import type { AnswerMessage, Message, NotificationMessage, RequestId } from "./message.ts";
import { messagesOf, requireTaken } from "./reply.ts";
import type { Cursor } from "./reply.ts";

/** The origin of a message. */
interface From {
  readonly session: Session | undefined;
  /** The request that it was sent in answer to, and with which reply. */
  readonly flight?: Flight;
  readonly reply?: IncomingMessage;
}

/** A request is refused after this many lost sessions. */
const maxSessionAttempts = 3;
/** The delay before resuming a stream that ended early, unless the hub sets one. */
const resumeDelay = 500;

export class LegacyLane {
  readonly #options: LaneOptions;
  readonly #closing = new AbortController();
  readonly #memory = createSessionMemory();
  readonly #questions = new Questions();
  readonly #sessions: LegacySessions;
  /** Resolves when the session's start is done, successful or not: some clients do not wait for it. */
  #isBegun = Promise.resolve();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#sessions = new LegacySessions({
      ...options,
      memory: this.#memory,
      onMessage: (message, session) => this.#receive(message, { session }),
      onLost: (session) => {
        for (const requestId of this.#questions.drop(session)) {
          const reason = "The hub was stopped.";
          options.output.send(notificationText("notifications/cancelled", { requestId, reason }));
        }
      },
    });
  }

  /** Resolves when the exchange is complete; rejects when it failed. */
  request(flight: Flight): Promise<void> {
    const done = this.#isBegun.then(() => this.#exchange(flight));
    if (flight.request.method === "initialize") this.#isBegun = done.catch(() => {});
    return done;
  }

  /** Passes a notification on; resolves when the hub has it. Never rejects. */
  notify(message: NotificationMessage): Promise<void> {
    const done = this.#isBegun.then(() => this.#notify(message));
    if (message.method === "notifications/initialized") this.#isBegun = done;
    return done;
  }

  /** Passes the client's answer to a question of the hub on. Never rejects. */
  async answer(message: AnswerMessage): Promise<void> {
    const question = this.#questions.take(message.id);
    if (question !== undefined) return this.#send(message.text, question.session);
    this.#options.note("The client answered a question that nobody asks any more. The answer was dropped.");
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sessions.close();
  }

  async #exchange(flight: Flight): Promise<void> {
    const { method, text } = flight.request;
    for (let attempt = 1; ; attempt++) {
      const session = method === "initialize" ? undefined : await this.#sessions.ready(flight.signal);
      const reply = await this.#options.hub.send({
        method: "POST",
        headers: sessionHeaders(session),
        body: text,
        signal: flight.signal,
        onSent: flight.markSent,
      });
      if (reply.statusCode === 404 && session?.id !== undefined && attempt < maxSessionAttempts) {
        reply.resume();
        this.#sessions.lost(session);
        continue;
      }
      await requireTaken(reply);
      return this.#follow(reply, flight, session);
    }
  }

  /** Reads an answer, over as many streams as the hub makes of it. */
  async #follow(reply: IncomingMessage, flight: Flight, session: Session | undefined): Promise<void> {
    const cursor: Cursor = {};
    for (let current = reply; ; current = await this.#resume(session, cursor, flight)) {
      try {
        for await (const text of messagesOf(current, cursor)) {
          this.#receive(parseMessage(text), { flight, session, reply });
          await this.#options.output.room();
        }
      } catch (error) {
        if (cursor.lastEventId === undefined) throw error;
      }
      if (flight.isOver) return;
      if (cursor.lastEventId === undefined) throw new Error("the hub gave no answer");
    }
  }

  async #resume(session: Session | undefined, cursor: Cursor, { signal }: Flight): Promise<IncomingMessage> {
    const { hub, waiting } = this.#options;
    await waiting.pause(cursor.retry ?? resumeDelay, signal);
    const headers = { ...sessionHeaders(session), "last-event-id": cursor.lastEventId ?? "" };
    try {
      const reply = await hub.send({ method: "GET", headers, signal, effort: "look" });
      await requireTaken(reply);
      return reply;
    } catch (error) {
      // The original error would claim that nothing was sent.
      throw new Error(messageOf(error), { cause: error });
    }
  }

  #receive(message: Message, { session, flight, reply }: From): void {
    const { output, note } = this.#options;
    if (flight?.isOver === true) return;
    if (message.kind === "notification") {
      if (message.method === "notifications/cancelled") this.#questions.take(message.params["requestId"]);
      output.send(message.text);
    } else if (message.kind === "request") {
      this.#questions.add(message.id, session);
      output.send(message.text);
    } else if (message.kind === "answer" && flight && reply && message.id === flight.request.id) {
      const { request } = flight;
      if (message.result !== undefined) {
        this.#memory.keep(request);
        if (request.method === "initialize") this.#sessions.begin(sessionOf(reply, message));
      }
      flight.answer(message.text);
    } else {
      note("The hub sent something that nobody asked for. It was dropped.");
    }
  }

  async #notify(message: NotificationMessage): Promise<void> {
    const isReady = message.method === "notifications/initialized";
    if (isReady) this.#memory.keepInitialized(message);
    // Without a session a notification means nothing.
    const { current } = this.#sessions;
    if (current !== undefined) await this.#send(message.text, current);
    if (isReady) this.#sessions.openStream();
  }

  /** Sends a notification or an answer, once, to the current hub. */
  async #send(text: string, session: Session | undefined): Promise<void> {
    const { hub, note } = this.#options;
    const { signal } = this.#closing;
    try {
      await sendToSession({ hub, session, text, signal, effort: "look" });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RefusedByHub && error.status === 404 && session) return this.#sessions.lost(session);
      note(`The hub did not take what the client said: ${messageOf(error)}`);
    }
  }
}

/** The hub's open requests to the client. Two of them may have the same id. */
class Questions {
  #open: { readonly id: RequestId; readonly session: Session | undefined }[] = [];

  add(id: RequestId, session: Session | undefined): void {
    this.#open.push({ id, session });
  }

  /** Removes the oldest question with this id; returns it with its session, which may be none. */
  take(id: unknown): { readonly session: Session | undefined } | undefined {
    const at = this.#open.findIndex((question) => question.id === id);
    return at < 0 ? undefined : this.#open.splice(at, 1)[0];
  }

  /** Removes the questions of a session; returns their ids. */
  drop(session: Session): readonly RequestId[] {
    const dropped = this.#open.filter((question) => question.session === session);
    this.#open = this.#open.filter((question) => question.session !== session);
    return dropped.map(({ id }) => id);
  }
}
