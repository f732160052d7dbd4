import type { HubHttp } from "./hub-http.ts";
import { sessionOf } from "./legacy-session.ts";
import type { Session } from "./legacy-session.ts";
import type { SessionMemory } from "./session-memory.ts";
import { ask, tell } from "./session-requests.ts";

export interface BeginAgainOptions {
  readonly hub: HubHttp;
  readonly memory: SessionMemory;
  readonly signal: AbortSignal;
  note(text: string): void;
}

/** Begins a client's session anew, with a hub that knows nothing of it and as if the client had done so. */
export async function beginAgain({ hub, memory, signal, note }: BeginAgainOptions): Promise<Session> {
  const { initialize, initialized } = memory;
  if (initialize === undefined) throw new Error("the client has begun no session");
  const first = { hub, signal, effort: "wait", session: undefined } as const;
  const { reply, answer } = await ask(first, initialize);
  if (answer.result === undefined) throw new Error(`the hub does not take the session up again: ${answer.text}`);
  const session = sessionOf(reply, answer);
  const inSession = { ...first, session };
  if (initialized !== undefined) await tell({ ...inSession, text: initialized.text });
  for (const request of memory.again) {
    const { answer: done } = await ask(inSession, request);
    if (done.result === undefined) note(`The hub does not do ${request.method} again: ${done.text}`);
  }
  return session;
}
