import type { Question } from "./create-answerer.ts";
import type { Reply } from "./reply.ts";

/** What the thread is made with. */
export interface RehearsalThreadData {
  readonly longest: number | undefined;
  readonly share: number;
}

export interface ToRehearsal {
  readonly id: number;
  readonly question: Question;
}

/** A reply; something that should not have failed; or, while it works, that it goes on. */
export type FromRehearsal = { readonly id: number; readonly reply: Reply } | { readonly failure: string } | "alive";
