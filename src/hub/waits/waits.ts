// Everything that waits for a person, from every door, for each principal: one registry, in which exactly one answer counts.
// Sources add what waits and settle it when it was answered where it was asked; the inbox answers it from here. It knows
// neither calls nor tools.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { PagewireError } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type {
  AnsweredBy,
  InboxAnswer,
  MaybeBefore,
  NewWait,
  OpenWait,
  Settle,
  Wait,
  WaitAnswer,
  WaitHandle,
  WaitList,
  WaitSource,
  Waits,
} from "./wait.ts";

interface Entry extends OpenWait {
  readonly settle: Settle;
}

interface Closed {
  readonly by: AnsweredBy;
  readonly allow: boolean | undefined;
  readonly at: string;
}

interface Inbox {
  readonly principal: string;
  readonly open: Map<string, Entry>;
  /** The waits that were answered last, for late answers. */
  readonly closed: Map<string, Closed>;
  /** The waits of sources whose answer is being carried out. */
  readonly settling: Set<string>;
  readonly listeners: Set<() => void>;
  /** The number of waits that found no room. */
  more: number;
}

/** Max open waits of a principal in the inbox; more of them are answered where they are asked. */
const maxOpen = 500;
/** Max of one tab. */
const maxOfTab = 50;
/** Max remembered answers of a principal. */
const maxClosed = 200;
/** Max of them in a list. */
const maxEnded = 20;
/** Max principals without anything open. */
const maxInboxes = 1000;

export interface WaitsOptions {
  readonly record: Audit["record"];
  /** ISO time. */
  readonly now?: () => string;
  /** The key of ids: without it no one finds something whose id begins alike. */
  readonly key?: (() => string) | undefined;
}

export function createWaits(options: WaitsOptions): Waits {
  return new Registry(options);
}

class Registry implements Waits {
  readonly #record: Audit["record"];
  readonly #now: () => string;
  readonly #key: () => string;
  /** Least recently used first. */
  readonly #inboxes = new Map<string, Inbox>();
  readonly #sources: WaitSource[] = [];
  readonly #onChange = new Set<(principal: string) => void>();

  constructor({ record, now = () => new Date().toISOString(), key }: WaitsOptions) {
    const runKey = randomBytes(32).toString("base64url");
    this.#key = key ?? (() => runKey);
    this.#record = record;
    this.#now = now;
  }

  add(principal: string, wait: NewWait, settle: Settle): WaitHandle {
    const inbox = this.#inboxOf(principal);
    if (!hasRoom(inbox, wait)) return this.#withoutRoom(inbox);
    const { id = randomUUID() } = wait;
    inbox.closed.delete(id);
    inbox.open.set(id, { ...wait, id, since: this.#now(), settle });
    this.#notify(principal);
    return { close: (by, allow) => this.#close(inbox, id, { by, allow }) };
  }

  addSource(source: WaitSource): void {
    this.#sources.push(source);
  }

  idOf(...about: readonly (string | undefined)[]): string {
    return createHmac("sha256", this.#key()).update(JSON.stringify(about)).digest("base64url").slice(0, 32);
  }

  changed(principal: string): void {
    this.#notify(principal);
  }

  onChange(listener: (principal: string) => void): void {
    this.#onChange.add(listener);
  }

  async list(principal: string): Promise<WaitList> {
    const inbox = this.#inboxes.get(principal);
    const others = await Promise.all(this.#sources.map((source) => source.list(principal)));
    const own = [...(inbox?.open.values() ?? [])].map(shown);
    const waits = [...own, ...others.flat()].sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
    const ids = new Set(waits.map(({ id }) => id));
    // A tool that changes back waits again.
    const ended = [...(inbox?.closed ?? [])]
      .filter(([id]) => !ids.has(id))
      .slice(-maxEnded)
      .map(([id, { by, allow }]) => ({ id, said: sayAnswered(allow, by) }));
    return { waits, more: inbox?.more ?? 0, ended };
  }

  async find(principal: string, id: string): Promise<OpenWait | undefined> {
    return (await this.list(principal)).waits.find((wait) => wait.id === id);
  }

  async answer(principal: string, { id, answer, by }: InboxAnswer): Promise<void> {
    const inbox = this.#inboxOf(principal);
    const about = inbox.open.get(id) ?? (await this.find(principal, id));
    // Another answer may have come, or failed, in between.
    const entry = inbox.open.get(id);
    const closed = inbox.closed.get(id);
    // A wait that its source lists after its answer was carried out waits again.
    if (closed && (!about || inbox.settling.has(id))) throw late(closed);
    if (!about) throw noSuchWait();
    check(about, answer);
    // Nobody else may answer from here on.
    inbox.closed.delete(id);
    this.#close(inbox, id, { by, allow: answer.allow });
    if (!entry) inbox.settling.add(id);
    let before: MaybeBefore;
    try {
      before = entry ? await entry.settle(answer, by) : await this.#answerSource(principal, { id, answer, closed });
    } catch (error) {
      inbox.closed.delete(id);
      if (closed) inbox.closed.set(id, closed);
      if (entry) inbox.open.set(id, entry);
      this.#notify(principal);
      throw error;
    } finally {
      inbox.settling.delete(id);
    }
    if (before) {
      const earlier = { by: before, allow: undefined, at: this.#now() };
      inbox.closed.set(id, earlier);
      throw late(earlier);
    }
    this.#recordAnswer(principal, about, { answer, by });
    this.#notify(principal);
  }

  watch(principal: string, listener: () => void): () => void {
    const inbox = this.#inboxOf(principal);
    inbox.listeners.add(listener);
    return () => {
      inbox.listeners.delete(listener);
    };
  }

  async #answerSource(
    principal: string,
    { id, answer, closed }: Pick<InboxAnswer, "id" | "answer"> & { readonly closed: Closed | undefined },
  ): Promise<undefined> {
    for (const source of this.#sources) if (await source.answer(principal, id, answer)) return undefined;
    // It was answered, or has changed, since it was listed.
    throw closed ? late(closed) : noSuchWait();
  }

  #close(inbox: Inbox, id: string, { by, allow }: Omit<Closed, "at">): void {
    const wasOpen = inbox.open.delete(id);
    if (inbox.closed.has(id)) return;
    inbox.closed.set(id, { by, allow, at: this.#now() });
    for (const oldest of inbox.closed.keys()) if (inbox.closed.size > maxClosed) inbox.closed.delete(oldest);
    if (wasOpen) this.#notify(inbox.principal);
  }

  #notify(principal: string): void {
    for (const listener of [...(this.#inboxes.get(principal)?.listeners ?? [])]) listener();
    for (const listener of this.#onChange) listener(principal);
  }

  #withoutRoom(inbox: Inbox): WaitHandle {
    let isOver = false;
    inbox.more++;
    return {
      close() {
        if (!isOver) inbox.more--;
        isOver = true;
      },
    };
  }

  #inboxOf(principal: string): Inbox {
    const known = this.#inboxes.get(principal) ?? {
      principal,
      open: new Map<string, Entry>(),
      closed: new Map<string, Closed>(),
      settling: new Set<string>(),
      listeners: new Set<() => void>(),
      more: 0,
    };
    this.#inboxes.delete(principal);
    this.#inboxes.set(principal, known);
    for (const [name, { open, listeners, more }] of this.#inboxes) {
      if (this.#inboxes.size <= maxInboxes) break;
      if (open.size + listeners.size + more === 0) this.#inboxes.delete(name);
    }
    return known;
  }

  #recordAnswer(
    principal: string,
    { kind, agent, tab, origin, app, tool }: Wait,
    { answer, by }: { readonly answer: WaitAnswer; readonly by: AnsweredBy },
  ): void {
    const outcome = answer.allow ? "approved" : "refused";
    const details = { method: "inbox", kind, by, ...(answer.scope && { scope: answer.scope }) };
    this.#record({
      kind: "question",
      ...{ principal, agent, tab, origin, app, name: tool },
      outcome,
      decidedBy: "user",
      details,
    });
  }
}

function hasRoom({ open }: Inbox, { tab }: Wait): boolean {
  if (open.size >= maxOpen) return false;
  return tab === undefined || [...open.values()].filter((entry) => entry.tab === tab).length < maxOfTab;
}

function shown(entry: Entry): OpenWait {
  const { settle, ...wait } = entry;
  void settle;
  return wait;
}

function check({ scopes = [], kind, schema }: Wait, { scope, content }: WaitAnswer): void {
  if (kind === "dialog" || kind === "sign-in")
    throw new PagewireError("option-refused", "Only a person in front of its page can answer this. Go to that page.");
  if (scope !== undefined && !scopes.includes(scope))
    throw new PagewireError("request-malformed", "This can be allowed or refused for this one time only.");
  if (content !== undefined && kind !== "question")
    throw new PagewireError("request-malformed", "Only a tool's question is answered with content.");
  const properties = schema?.["properties"];
  const known = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const unknown = Object.keys(content ?? {}).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new PagewireError("request-malformed", `The question has no field ${JSON.stringify(unknown.slice(0, 100))}.`);
}

const places: Record<AnsweredBy, string> = {
  console: "in the console",
  command: "by the command",
  page: "in its page",
  caller: "by the client that called",
  conversation: "in its conversation",
  nobody: "",
};

/** The text about an answer and its place, for other places that asked the same. */
export function sayAnswered(allow: boolean | undefined, by: AnsweredBy): string {
  const what = allow === undefined ? "Answered" : allow ? "Allowed" : "Refused";
  return by === "nobody" ? "This does not wait any more." : `${what} ${places[by]}.`;
}

function noSuchWait(): PagewireError {
  return new PagewireError("route-not-found", "Nothing waits for you by this id. It may have ended.");
}

function late({ by, allow, at }: Closed): PagewireError {
  const message =
    by === "nobody"
      ? `This does not wait any more: its call ended at ${at}, and nobody had answered. Your answer changed nothing.`
      : `${sayAnswered(allow, by).slice(0, -1)} at ${at}. Your answer came later and changed nothing.`;
  return new PagewireError("ask-failed", message);
}
