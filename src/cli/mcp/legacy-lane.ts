// MCP 2025-11-25 and older: requests belong to a session, in which the hub may also send requests to the client.
import type { IncomingMessage } from "node:http";
import { messageOf } from "../../wire/index.ts";
import { RefusedByHub } from "./failure.ts";
import type { Flight } from "./flights.ts";
import type { LaneOptions } from "./lane.ts";
import { sessionHeaders, sessionOf, createSessionMemory, sendToSession } from "./legacy-session.ts";
import type { Session } from "./legacy-session.ts";
import { createLegacySessions } from "./legacy-session-keeper.ts";
import { notificationText, parseMessage } from "./message.ts";
import type { AnswerMessage, Message, NotificationMessage, RequestId } from "./message.ts";
import { messagesOf, requireTaken } from "./reply.ts";
import type { Cursor } from "./reply.ts";

export interface LegacyLane {
  /** Resolves when the exchange is complete; rejects when it failed. */
  request(flight: Flight): Promise<void>;
  /** Passes a notification on; resolves when the hub has it. Never rejects. */
  notify(message: NotificationMessage): Promise<void>;
  /** Passes the client's answer to a question of the hub on. Never rejects. */
  answer(message: AnswerMessage): Promise<void>;
  close(): Promise<void>;
}

/** A request is refused after this many lost sessions. */
const maxSessionAttempts = 3;
/** The delay before resuming a stream that ended early, unless the hub sets one. */
const resumeDelay = 500;

export function createLegacyLane(options: LaneOptions): LegacyLane {
  const { hub, output, waiting, note } = options;
  const closing = new AbortController();
  const memory = createSessionMemory();
  const questions = createQuestions();
  const sessions = createLegacySessions({
    ...options,
    memory,
    onMessage: (message, session) => take(message, { session }),
    onLost(session) {
      for (const requestId of questions.drop(session)) {
        output.send(notificationText("notifications/cancelled", { requestId, reason: "The hub was stopped." }));
      }
    },
  });
  /** Resolves when the session's start is done, successful or not: some clients do not wait for it. */
  let isBegun = Promise.resolve();

  function request(flight: Flight): Promise<void> {
    const done = isBegun.then(() => exchange(flight));
    if (flight.request.method === "initialize") isBegun = done.catch(() => {});
    return done;
  }

  async function exchange(flight: Flight): Promise<void> {
    const { method, text } = flight.request;
    for (let attempt = 1; ; attempt++) {
      const session = method === "initialize" ? undefined : await sessions.ready(flight.signal);
      const reply = await hub.send({
        method: "POST",
        headers: sessionHeaders(session),
        body: text,
        signal: flight.signal,
        onSent: flight.markSent,
      });
      if (reply.statusCode === 404 && session?.id !== undefined && attempt < maxSessionAttempts) {
        reply.resume();
        sessions.lost(session);
        continue;
      }
      await requireTaken(reply);
      return follow(reply, { flight, session });
    }
  }

  /** Reads an answer, over as many streams as the hub makes of it. */
  async function follow(reply: IncomingMessage, { flight, session }: From & { flight: Flight }): Promise<void> {
    const cursor: Cursor = {};
    for (let current = reply; ; current = await resume(session, cursor, flight)) {
      try {
        for await (const text of messagesOf(current, cursor)) {
          take(parseMessage(text), { flight, session, reply });
          await output.room();
        }
      } catch (error) {
        if (cursor.lastEventId === undefined) throw error;
      }
      if (flight.isOver) return;
      if (cursor.lastEventId === undefined) throw new Error("the hub gave no answer");
    }
  }

  async function resume(session: Session | undefined, cursor: Cursor, { signal }: Flight): Promise<IncomingMessage> {
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

  function take(message: Message, { session, flight, reply }: From): void {
    if (flight?.isOver === true) return;
    if (message.kind === "notification") {
      if (message.method === "notifications/cancelled") questions.take(message.params["requestId"]);
      output.send(message.text);
    } else if (message.kind === "request") {
      questions.add(message.id, session);
      output.send(message.text);
    } else if (message.kind === "answer" && flight && reply && message.id === flight.request.id) {
      const { request } = flight;
      if (message.result !== undefined) memory.keep(request);
      if (message.result !== undefined && request.method === "initialize") sessions.begin(sessionOf(reply, message));
      flight.answer(message.text);
    } else {
      note("The hub sent something that nobody asked for. It was dropped.");
    }
  }

  /** Sends a notification or an answer, once, to the current hub. */
  async function pass(text: string, session: Session | undefined): Promise<void> {
    try {
      await sendToSession({ hub, session, text, signal: closing.signal, effort: "look" });
    } catch (error) {
      if (closing.signal.aborted) return;
      if (error instanceof RefusedByHub && error.status === 404 && session) return sessions.lost(session);
      note(`The hub did not take what the client said: ${messageOf(error)}`);
    }
  }

  async function notify(message: NotificationMessage): Promise<void> {
    const isReady = message.method === "notifications/initialized";
    if (isReady) memory.keepInitialized(message);
    // Without a session a notification means nothing.
    if (sessions.current !== undefined) await pass(message.text, sessions.current);
    if (isReady) sessions.openStream();
  }

  return {
    request,
    notify(message) {
      const done = isBegun.then(() => notify(message));
      if (message.method === "notifications/initialized") isBegun = done;
      return done;
    },
    async answer(message) {
      const question = questions.take(message.id);
      if (question !== undefined) return pass(message.text, question.session);
      note("The client answered a question that nobody asks any more. The answer was dropped.");
    },
    async close() {
      closing.abort();
      await sessions.close();
    },
  };
}

/** The origin of a message. */
interface From {
  readonly session: Session | undefined;
  /** The request that it was sent in answer to, and with which reply. */
  readonly flight?: Flight;
  readonly reply?: IncomingMessage;
}

/** The hub's open requests to the client. Two of them may have the same id. */
interface Questions {
  add(id: RequestId, session: Session | undefined): void;
  /** The session that the oldest question with this id belongs to; it is none any more. */
  take(id: unknown): { readonly session: Session | undefined } | undefined;
  /** Forgets the questions of a session; returns their ids. */
  drop(session: Session): readonly RequestId[];
}

function createQuestions(): Questions {
  const open: { readonly id: RequestId; readonly session: Session | undefined }[] = [];
  return {
    add: (id, session) => void open.push({ id, session }),
    take(id) {
      const at = open.findIndex((question) => question.id === id);
      return at < 0 ? undefined : open.splice(at, 1)[0];
    },
    drop(session) {
      const dropped = open.filter((question) => question.session === session);
      for (const question of dropped) open.splice(open.indexOf(question), 1);
      return dropped.map(({ id }) => id);
    },
  };
}
