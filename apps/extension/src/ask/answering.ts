import type { PersonAnswer } from "pagewire/extension";

/** The parts of every kind of question. */
export interface Answering {
  /** Clicks and keys count. */
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** Takes an answer of the person's, not of a script's. */
  answer(answer: PersonAnswer, event: Event): void;
}
