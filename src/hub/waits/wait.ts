// The shapes of what waits for a person, between its sources, the registry, and the inbox.
import type { ToolChange } from "../../toolbox/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** The last two are taken in their page only. */
export type WaitKind = "approval" | "question" | "origin" | "tool-change" | "dialog" | "sign-in";

/** Something that waits for a person. All texts but `reason` are of pages and agents. */
export interface Wait {
  readonly kind: WaitKind;
  /** Why a person is asked, in the hub's words. */
  readonly reason: string;
  readonly agent?: string | undefined;
  readonly door?: string | undefined;
  readonly call?: string | undefined;
  readonly tab?: string | undefined;
  readonly page?: string | undefined;
  readonly origin?: string | undefined;
  readonly app?: string | undefined;
  readonly tool?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly destructive?: true | undefined;
  /** The exact arguments, as JSON text. */
  readonly arguments?: string | undefined;
  /** Whether the arguments may hold a password: only the user in person sees them. */
  readonly isSecret?: true | undefined;
  /** A tool's question and the schema of its answer, or what a dialog asks. */
  readonly message?: string | undefined;
  readonly schema?: JsonObject | undefined;
  /** A tool's definition as it was accepted, and as it is now. */
  readonly before?: string | undefined;
  readonly definition?: string | undefined;
  /** Of a conversation: its id, the other origins whose text is in it, and how the tool has changed since it was allowed. */
  readonly conversation?: string | undefined;
  readonly textFrom?: readonly string[] | undefined;
  readonly changed?: ToolChange | undefined;
  /** How long an approval may hold; only this call by default. */
  readonly scopes?: readonly WaitScope[] | undefined;
}

export type WaitScope = "session" | "always";

/** Several hubs may have a wait for the same thing: it has the same id at each. */
export interface NewWait extends Wait {
  readonly id?: string;
}

export interface OpenWait extends Wait {
  readonly id: string;
  /** ISO time. */
  readonly since: string;
}

export interface WaitAnswer {
  readonly allow: boolean;
  readonly scope?: WaitScope | undefined;
  /** The fields of an answer to a question. */
  readonly content?: { readonly [name: string]: Json } | undefined;
}

export interface WaitList {
  /** The oldest first. */
  readonly waits: readonly OpenWait[];
  /** The number of those beyond the limit. */
  readonly more: number;
  /** The waits that ended last, with their answers and where they were given. */
  readonly ended: readonly { readonly id: string; readonly said: string }[];
}

/** An answer that is given in the inbox. */
export interface InboxAnswer {
  readonly id: string;
  readonly answer: WaitAnswer;
  readonly by: "console" | "command";
}

/** The place of an answer. */
export type AnsweredBy =
  | "console"
  | "command"
  | "page"
  | "caller"
  | "conversation"
  /** Nobody answered: the call ended, or the time was up. */
  | "nobody";

export interface WaitHandle {
  /** It was answered where it was asked, or has no meaning any more. Does nothing once it is answered. */
  close(by: AnsweredBy, allow?: boolean): void;
}

/** Waits outside the registry, as they are when they are listed. */
export interface WaitSource {
  list(principal: string): Promise<readonly OpenWait[]>;
  /** Returns false for a wait that is not of this source. */
  answer(principal: string, id: string, answer: WaitAnswer): Promise<boolean>;
}

export interface Waits {
  /** Adds what waits. */
  add(principal: string, wait: NewWait, settle: Settle): WaitHandle;
  addSource(source: WaitSource): void;
  /** The id of a wait that several hubs may have, because each of them came to know what waits. */
  idOf(...about: readonly (string | undefined)[]): string;
  /** The list of a source has changed. */
  changed(principal: string): void;
  list(principal: string): Promise<WaitList>;
  /** One of them, whole. */
  find(principal: string, id: string): Promise<OpenWait | undefined>;
  /** Answers; rejects with `ask-failed` if it was answered before, and with `route-not-found` if there is no such wait. */
  answer(principal: string, answered: InboxAnswer): Promise<void>;
  watch(principal: string, listener: () => void): () => void;
  /** Subscribes to the changes of all principals' lists. */
  onChange(listener: (principal: string) => void): void;
}

export type MaybeBefore = AnsweredBy | undefined | void;

/** Takes the answer of the inbox. If it throws, it waits on; if there was another answer before, it returns whose. */
export type Settle = (answer: WaitAnswer, by: AnsweredBy) => MaybeBefore | Promise<MaybeBefore>;
