// Which model the next question goes to: the one that was chosen for this conversation, else the page's or the hub's.
import type { AiMessage } from "../../element/index.ts";
import type { TalkAgent } from "../talk-agent.ts";

export interface ModelChoice {
  /** Its name; empty where only the hub knows it. */
  readonly current: string;
  choose(id: string): void;
  close(): void;
}

export interface ModelChoiceOptions {
  readonly agent: TalkAgent;
  /** The model of questions that name none, where that is known. */
  readonly byDefault: () => string | undefined;
  /** Whether there is a choice: without it, the page's model is left alone. */
  readonly isOn: () => boolean;
  /** Whether a stored choice counts. */
  readonly permits: (id: string) => boolean;
}

export function createModelChoice({ agent, byDefault, isOn, permits }: ModelChoiceOptions): ModelChoice {
  const left = new AbortController();
  let conversation: string | undefined;
  let chosen: string | undefined;
  let messages: readonly AiMessage[] = [];
  /** The model that was set here, and the one before that. */
  let applied: string | undefined;
  let before = "";

  function look(wasAnswered = false): void {
    const now = agent.conversation ?? messages[0]?.id;
    // With a core in the page, a first question that fails is taken back: it is asked again with the same choice.
    const isTakenBack = now === undefined && !wasAnswered && agent.connection === "local";
    // A conversation gets its id with its first question.
    if (now !== conversation && conversation !== undefined && !isTakenBack) chosen = undefined;
    conversation = now;
    const stored = messages.findLast(({ role }) => role === "assistant")?.chosenModel;
    const wanted = chosen ?? (stored !== undefined && permits(stored) ? stored : undefined);
    if (wanted === applied || !isOn()) return;
    if (applied === undefined) before = agent.model;
    applied = wanted;
    agent.model = wanted ?? before;
    agent.keepModel = wanted === undefined ? undefined : true;
  }

  function follow(): void {
    const wasAnswered = messages.some(({ role }) => role === "assistant");
    ({ messages } = agent);
    look(wasAnswered);
  }

  for (const name of ["messages", "conversation"])
    agent.addEventListener(`ai-agent:${name}-changed`, follow, { signal: left.signal });
  follow();
  return {
    get current() {
      return agent.model || byDefault() || messages.findLast(({ role }) => role === "assistant")?.model || "";
    },
    choose(id) {
      chosen = id;
      look();
    },
    close: () => left.abort(),
  };
}
