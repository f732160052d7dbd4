// What is said to the hub within a session, in the client's name or as its own words.
import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../../wire/index.ts";
import type { Effort } from "./hub-finder.ts";
import type { HubHttp } from "./hub-http.ts";
import { sessionHeaders } from "./legacy-session.ts";
import type { Session } from "./legacy-session.ts";
import { parseMessage } from "./message.ts";
import type { AnswerMessage } from "./message.ts";
import { messagesOf, requireTaken } from "./reply.ts";

export interface Said {
  readonly hub: HubHttp;
  /** Missing before the hub gave one. */
  readonly session: Session | undefined;
  readonly text: string;
  readonly signal: AbortSignal;
  readonly effort: Effort;
}

/** Sends one message; rejects when the hub does not take it. */
async function say({ hub, session, text, signal, effort }: Said): Promise<IncomingMessage> {
  const reply = await hub.send({ method: "POST", headers: sessionHeaders(session), body: text, signal, effort });
  await requireTaken(reply);
  return reply;
}

/** Sends a notification, or an answer. */
export async function tell(said: Said): Promise<void> {
  (await say(said)).resume();
}

/** Makes a request that the client does not hear of, and gives the answer with the reply that it came in. */
export async function ask(
  said: Omit<Said, "text">,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Promise<{ readonly reply: IncomingMessage; readonly answer: AnswerMessage }> {
  const id = `pagewire-${method}`;
  const reply = await say({ ...said, text: JSON.stringify({ jsonrpc: "2.0", id, method, params }) });
  let answer: AnswerMessage | undefined;
  for await (const text of messagesOf(reply)) {
    const message = parseMessage(text);
    if (message.kind === "answer" && message.id === id) answer = message;
  }
  if (answer === undefined) throw new Error(`the hub did not answer ${method}`);
  return { reply, answer };
}
