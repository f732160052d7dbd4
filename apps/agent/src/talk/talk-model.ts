// The talk's state and commands, without a view: follows the element, the parent and the drafts.
import type { AiMessage } from "pagewire/ai-agent";
import { createDrafts } from "./state/drafts.ts";
import type { Drafts, DraftStorage } from "./state/drafts.ts";
import { isSame } from "./state/is-same.ts";
import { createOutbox, mostQueued } from "./state/outbox.ts";
import type { Outbox } from "./state/outbox.ts";
import { outcomeOf } from "./state/outcome-of.ts";
import type { Outcome } from "./state/outcome-of.ts";
import { isEmptyPrompt } from "./state/prompt.ts";
import type { Prompt } from "./state/prompt.ts";
import { toolTitle } from "./state/tool-title.ts";
import { turnsOf } from "./state/turns-of.ts";
import type { Talking } from "./state/turns-of.ts";
import type { Turn } from "./state/turns.ts";
import type { TalkOptions } from "./talk-options.ts";
import type { Typing } from "./view/typing.ts";
import type { ParentState } from "../parent/connect-parent.ts";

const key = "pagewire-queue";

function keepQueue(storage: DraftStorage, queue: readonly Prompt[]): void {
  try {
    if (queue.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(queue));
  } catch {
    // Without storage, they last as long as this page.
  }
}

function readQueue(storage: DraftStorage): readonly Prompt[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isQueued).slice(0, mostQueued) : [];
  } catch {
    return [];
  }
}

function isQueued(value: unknown): value is Prompt {
  const { text, images, from } = Object(value) as Partial<Record<keyof Prompt, unknown>>;
  return typeof text === "string" && Array.isArray(images) && images.length === 0 && typeof from === "string";
}

export interface TalkModel {
  readonly drafts: Drafts;
  readonly outbox: Outbox;
  /** The current state. */
  turns(): readonly Turn[];
  /** Why there is no answer, where there is none. */
  outcome(): Outcome | undefined;
  /** Retries the answer that failed. */
  tryAgain(): void;
  close(): void;
}

export interface TalkModelOptions extends Pick<
  TalkOptions,
  "agent" | "parent" | "session" | "tabs" | "storage" | "clock"
> {
  readonly typing: Pick<Typing, "isNow">;
  /** Something is to be shown otherwise. */
  readonly onChange: () => void;
  /** Announces a text that is not visible. */
  readonly onNotice: (text: string) => void;
}

/** Milliseconds until the app's proposal is retried. */
const proposeAgain = 500;

const changes = [
  "content",
  "messages",
  "loading",
  "streaming",
  "reasoning",
  "tool-calls",
  "connection",
  "conversation",
  "not-saved",
];

export function createTalkModel(options: TalkModelOptions): TalkModel {
  const { agent, parent, session, tabs, storage, clock, typing, onNotice } = options;
  // Keep partial answers when an answer is stopped or breaks off.
  agent.keepOnFailure = true;
  const left = new AbortController();
  const drawing = coalesce(options.onChange);
  const drafts = createDrafts({ storage, conversation: agent.conversation });
  let messages: readonly AiMessage[] = agent.messages;
  let cancelProposal = () => {};
  const outbox = createOutbox({
    agent,
    messages: () => messages,
    waiting: readQueue(storage),
    hasTools: () => hasTools(parent.state, agent.conversation, tabs?.isOn === true),
    clock,
    prepare: () => tabs?.prepare(),
    onChange() {
      keepQueue(storage, outbox.queue);
      drawing.ask();
    },
    giveBack(prompt, conversation) {
      drafts.giveBack(prompt, conversation);
      drawing.ask();
    },
  });

  function follow(event: Event): void {
    const wasUnsaid = messages.length === 0;
    if (event.type === "ai-agent:messages-changed") messages = agent.messages;
    drafts.open(agent.conversation, wasUnsaid);
    outbox.look();
    drawing.ask();
  }

  for (const name of [...changes.map((change) => `${change}-changed`), "error"]) {
    agent.addEventListener(`ai-agent:${name}`, follow, { signal: left.signal });
  }
  const look = (): void => {
    outbox.look();
    drawing.ask();
  };
  const leaveState = parent.onState(look);
  const leaveTabs = tabs?.onChange(look);
  const leaveInject = parent.onInject(({ message, autoSend, origin }) => {
    const prompt: Prompt = { text: message, images: [], from: origin };
    if (isEmptyPrompt(prompt)) return;
    if (!autoSend) propose(prompt);
    else if (!outbox.queueUp(prompt)) {
      onNotice(`${origin} sent more than ${mostQueued} messages at once. The last one was not taken.`);
    }
    drawing.ask();
  });

  /** Words that the user is typing are not taken away from under the fingers. */
  function propose(prompt: Prompt): void {
    cancelProposal();
    if (typing.isNow && !isEmptyPrompt(drafts.current)) {
      cancelProposal = clock.after(proposeAgain, () => propose(prompt));
      return;
    }
    drafts.propose(prompt);
    drawing.ask();
  }

  return {
    drafts,
    outbox,
    turns: () => turnsOf(talkingOf()),
    outcome: () => outcomeOf({ agent, outbox, session, parent: parent.state, tabs, lastRole: messages.at(-1)?.role }),
    tryAgain() {
      const { failed, queue } = outbox;
      if (failed === undefined) return void outbox.regenerate();
      if (queue.includes(failed)) return outbox.release();
      if (outbox.send(failed) && isSame(drafts.current, failed)) drafts.take();
    },
    close() {
      left.abort();
      leaveState();
      leaveTabs?.();
      leaveInject();
      cancelProposal();
      outbox.close();
      drawing.close();
    },
  };

  function talkingOf(): Talking {
    const { content, reasoning, loading, streaming, toolCalls } = agent;
    const titleOf: Talking["titleOf"] = (name, approval) => toolTitle(name, parent.state, approval);
    return { messages, content, reasoning, loading, streaming, toolCalls, sending: outbox.sending, titleOf };
  }
}

/** Runs once for all requests of the same turn of the event loop. */
function coalesce(run: () => void): { ask(): void; close(): void } {
  let isAsked = false;
  let isClosed = false;
  return {
    ask() {
      if (isAsked || isClosed) return;
      isAsked = true;
      queueMicrotask(() => {
        isAsked = false;
        if (!isClosed) run();
      });
    },
    close: () => void (isClosed = true),
  };
}

/**
 * Whether the hub has the tools for this conversation by now: an app's, or without one those of the user's tabs, where
 * it may use them.
 */
function hasTools(parent: ParentState, conversation: string | null, mayUseTabs: boolean): boolean {
  if (parent.kind === "waiting") return false;
  if (parent.kind !== "connected" && !(parent.kind === "none" && mayUseTabs)) return true;
  return parent.relay !== undefined && parent.relay !== "waiting" && conversation !== null;
}
