// Follows the hub's stream of waits for as long as the console is open, and sends the user's answers.
import { batch, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { PagewireError, isErrorCode, isJsonObject, messageOf, parseJsonObject } from "pagewire/wire";
import type { Json, JsonObject } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import type { Hub } from "../hub/hub.ts";

interface TextPiece {
  readonly text: string;
  readonly differs?: true;
}

/** As in docs/reference/waits.md. The hub served this page, too: its answers need no closer look. */
export interface Wait {
  readonly id: string;
  readonly kind: "approval" | "question" | "origin" | "tool-change" | "dialog" | "sign-in";
  readonly since: string;
  readonly reason: string;
  readonly agent?: string;
  readonly door?: string;
  readonly conversation?: string;
  readonly tab?: string;
  readonly page?: string;
  readonly origin?: string;
  readonly app?: string;
  readonly tool?: string;
  readonly title?: string;
  readonly description?: string;
  readonly destructive?: true;
  readonly arguments?: string;
  readonly message?: string;
  readonly schema?: JsonObject;
  readonly before?: string;
  readonly definition?: string;
  readonly textFrom?: readonly string[];
  readonly changed?: { readonly before: readonly TextPiece[]; readonly after: readonly TextPiece[] };
  readonly scopes?: readonly Scope[];
  readonly isCut?: true;
}

export type Scope = "session" | "always";

export interface Answer {
  readonly answer: "allow" | "refuse";
  readonly scope?: Scope;
  readonly content?: { readonly [name: string]: Json };
}

/** One that was answered lately, here or elsewhere. */
export interface Ended {
  readonly id: string;
  /** A sentence: what was answered, and where. */
  readonly said: string;
}

export interface Inbox {
  /** Undefined until they were read. */
  readonly waits: ReadonlySignal<readonly Wait[] | undefined>;
  /** The number of those that found no room in the list. */
  readonly more: ReadonlySignal<number>;
  /** Whether this sign-in is the user in person. */
  readonly mayAnswer: ReadonlySignal<boolean>;
  readonly ended: ReadonlySignal<readonly Ended[]>;
  /** Why the list may be out of date. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** Rejects with the hub's refusal, such as that it was answered elsewhere. */
  answer(wait: Wait, answer: Answer): Promise<void>;
  /** All of a wait that was cut in the list. */
  whole(wait: Wait): Promise<Wait>;
  close(): void;
}

/** The wait before another attempt, in milliseconds: twice as long each time, up to the second. */
const pauses = { first: 500, most: 10_000 };

type InboxSession = Pick<Session, "bearer" | "request">;

export function createInbox(session: InboxSession, hub: Pick<Hub, "waiting">, send: typeof fetch = fetch): Inbox {
  const waits = signal<readonly Wait[] | undefined>(undefined);
  const more = signal(0);
  const mayAnswer = signal(true);
  const ended = signal<readonly Ended[]>([]);
  const problem = signal<string | undefined>(undefined);
  const closing = new AbortController();
  let pause = pauses.first;
  let timer: number | undefined;

  function take(data: string): void {
    const list = parseJsonObject(data, 64);
    if (!list) return;
    pause = pauses.first;
    batch(() => {
      waits.value = listIn<Wait>(list["waits"]);
      more.value = Number(list["more"]) || 0;
      mayAnswer.value = list["mayAnswer"] === true;
      ended.value = listIn<Ended>(list["ended"]);
      problem.value = undefined;
      hub.waiting.value = waits.value.length + more.value;
    });
  }

  async function follow(): Promise<void> {
    const headers = { authorization: `Bearer ${await session.bearer()}` };
    const response = await send("/api/waits/stream", { headers, signal: closing.signal });
    if (!response.ok || !response.body) throw await errorOf(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const messages = (text + value).split("\n\n");
      text = messages.pop() ?? "";
      // Each is the whole list.
      const data = messages.flatMap((message) => /^data: (.*)$/m.exec(message)?.[1] ?? []).at(-1);
      if (data !== undefined) take(data);
    }
  }

  async function run(): Promise<void> {
    const why = await follow().then(() => "The hub ended the connection.", messageOf);
    if (closing.signal.aborted) return;
    problem.value = why;
    timer = setTimeout(() => void run(), pause) as unknown as number;
    pause = Math.min(2 * pause, pauses.most);
  }

  void run();
  return {
    ...{ waits, more, mayAnswer, ended, problem },
    async answer({ id }, answer) {
      await session.request("POST", `/api/waits/${encodeURIComponent(id)}`, answer);
    },
    async whole(wait) {
      const found = await session.request("GET", `/api/waits/${encodeURIComponent(wait.id)}`);
      return isJsonObject(found) ? (found as JsonObject as unknown as Wait) : wait;
    },
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}

const inboxes = new WeakMap<Hub, Inbox>();

/** The one inbox of a console, which lives as long as it. */
export function inboxOf(hub: Hub, session: InboxSession): Inbox {
  const inbox = inboxes.get(hub) ?? createInbox(session, hub);
  inboxes.set(hub, inbox);
  return inbox;
}

function listIn<Item>(list: Json | undefined): readonly Item[] {
  return Array.isArray(list) ? (list.filter(isJsonObject) as unknown as readonly Item[]) : [];
}

async function errorOf(response: Response): Promise<PagewireError> {
  const { error } = parseJsonObject(await response.text(), 4) ?? {};
  const { code, message } = isJsonObject(error) ? error : {};
  if (isErrorCode(code) && typeof message === "string") return new PagewireError(code, message);
  return new PagewireError("hub-unreachable", `The hub answered ${response.status}.`);
}
