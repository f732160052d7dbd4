import type { IncomingMessage } from "node:http";
import { listKinds, objectOf, parseMessage } from "./message.ts";
import type { ListKind, AnswerMessage, NotificationMessage, RequestMessage } from "./message.ts";
import type { HubHttp } from "./upstream/hub-http.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { Effort } from "./upstream/hub-finder.ts";
import { messagesOf, requireTaken } from "./reply.ts";

export interface Session {
  /** Missing if the hub has no sessions. */
  readonly id: string | undefined;
  /** The version of MCP that was agreed on. */
  readonly version: string | undefined;
  /** The lists for which the hub sends change notifications. */
  readonly lists: readonly ListKind[];
}

/** The session that starts with an answer to `initialize`. */
export function sessionOf(reply: IncomingMessage, { result = {} }: AnswerMessage): Session {
  const id = reply.headers["mcp-session-id"];
  const { protocolVersion, capabilities } = result;
  const notifies = (list: ListKind) => objectOf(objectOf(capabilities)[list])["listChanged"] === true;
  return {
    id: typeof id === "string" ? id : undefined,
    version: typeof protocolVersion === "string" ? protocolVersion : undefined,
    lists: listKinds.filter(notifies),
  };
}

export function sessionHeaders(session: Session | undefined): Readonly<Record<string, string>> {
  return {
    ...(session?.id === undefined ? {} : { "mcp-session-id": session.id }),
    ...(session?.version === undefined ? {} : { "mcp-protocol-version": session.version }),
  };
}

interface ReplayOptions {
  readonly hub: HubHttp;
  readonly memory: SessionMemory;
  readonly signal: AbortSignal;
  note(text: string): void;
}

/** Replays the client's session to a hub that does not know it, as if the client had begun it again. */
export async function replaySession({ hub, memory, signal, note }: ReplayOptions): Promise<Session> {
  const { initialize, initialized } = memory;
  if (initialize === undefined) throw new Error("the client has begun no session");
  const first = { hub, signal, effort: "wait", session: undefined } as const;
  const { reply, answer } = await requestInSession(first, initialize);
  if (answer.result === undefined) throw new Error(`the hub does not take the session up again: ${answer.text}`);
  const session = sessionOf(reply, answer);
  const inSession = { ...first, session };
  if (initialized !== undefined) await sendToSession({ ...inSession, text: initialized.text });
  for (const request of memory.again) {
    const { answer: done } = await requestInSession(inSession, request);
    if (done.result === undefined) note(`The hub does not do ${request.method} again: ${done.text}`);
  }
  return session;
}

export interface SessionMemory {
  /** The client's own `initialize`; undefined until it arrives. */
  readonly initialize: RequestMessage | undefined;
  /** The client's own `notifications/initialized`. */
  readonly initialized: NotificationMessage | undefined;
  /** The resources that the client is subscribed to. */
  readonly resources: readonly string[];
  /** The requests to make again. */
  readonly again: readonly { readonly method: string; readonly params: JsonObject }[];
  /** Stores the changes made by a successful request. */
  keep(request: RequestMessage): void;
  keepInitialized(notification: NotificationMessage): void;
}

export function createSessionMemory(): SessionMemory {
  let initialize: RequestMessage | undefined;
  let initialized: NotificationMessage | undefined;
  let logging: JsonObject | undefined;
  const subscriptions = new Map<string, JsonObject>();

  return {
    get initialize() {
      return initialize;
    },
    get initialized() {
      return initialized;
    },
    get resources() {
      return [...subscriptions.keys()];
    },
    get again() {
      return [
        ...(logging === undefined ? [] : [{ method: "logging/setLevel", params: logging }]),
        ...[...subscriptions.values()].map((params) => ({ method: "resources/subscribe", params })),
      ];
    },
    keep(request) {
      const { method, params } = request;
      const uri = typeof params["uri"] === "string" ? params["uri"] : "";
      if (method === "logging/setLevel") logging = params;
      else if (method === "resources/subscribe") subscriptions.set(uri, params);
      else if (method === "resources/unsubscribe") subscriptions.delete(uri);
      else if (method === "initialize") {
        // A new `initialize` discards the state of the session before it.
        initialize = request;
        initialized = undefined;
        logging = undefined;
        subscriptions.clear();
      }
    },
    keepInitialized(notification) {
      initialized = notification;
    },
  };
}

interface SessionMessage {
  readonly hub: HubHttp;
  /** Missing before the hub gave one. */
  readonly session: Session | undefined;
  readonly text: string;
  readonly signal: AbortSignal;
  readonly effort: Effort;
}

/** Sends one message; rejects if the hub does not accept it. */
async function postToSession({ hub, session, text, signal, effort }: SessionMessage): Promise<IncomingMessage> {
  const reply = await hub.send({ method: "POST", headers: sessionHeaders(session), body: text, signal, effort });
  await requireTaken(reply);
  return reply;
}

/** Sends a notification, or an answer. */
export async function sendToSession(message: SessionMessage): Promise<void> {
  (await postToSession(message)).resume();
}

/** Makes a request of our own, hidden from the client; resolves with the answer and the response that had it. */
async function requestInSession(
  target: Omit<SessionMessage, "text">,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Promise<{ readonly reply: IncomingMessage; readonly answer: AnswerMessage }> {
  const id = `pagewire-${method}`;
  const reply = await postToSession({ ...target, text: JSON.stringify({ jsonrpc: "2.0", id, method, params }) });
  let answer: AnswerMessage | undefined;
  for await (const text of messagesOf(reply)) {
    const message = parseMessage(text);
    if (message.kind === "answer" && message.id === id) answer = message;
  }
  if (answer === undefined) throw new Error(`the hub did not answer ${method}`);
  return { reply, answer };
}
