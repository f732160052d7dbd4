import type { Announce } from "../talk-options.ts";
import type { Outcome } from "./outcome-of.ts";
import type { Turn } from "./turns.ts";

export interface Now {
  readonly isBusy: boolean;
  readonly outcome: Outcome | undefined;
  readonly turns: readonly Turn[];
}

/** Announces changes to screen readers: the start and end of an answer, and pending questions; never each word. */
export function createNews(announce: Announce): (now: Now) => void {
  let said: string | undefined;
  let asked: ReadonlySet<string> = new Set();

  return ({ isBusy, outcome, turns }) => {
    const waiting = turns.flatMap((turn) => (turn.kind === "call" && turn.status === "waiting" ? [turn] : []));
    for (const { key, title } of waiting) {
      if (!asked.has(key)) announce(`Your approval is needed: may ${title} run?`, true);
    }
    asked = new Set(waiting.map(({ key }) => key));
    const news = isBusy ? (outcome?.text ?? "The assistant is answering.") : undefined;
    if (news === said) return;
    said = news;
    if (news !== undefined) announce(news);
    else announce(outcome === undefined ? "The answer is complete." : `There is no answer: ${outcome.text}`);
  };
}
