// The talk's state and commands, without a view: follows the element, the parent and the drafts.
import type { AiMessage } from "../element/index.ts";
import { browserClock } from "./dom/index.ts";
import { createConversations } from "./history/create-conversations.ts";
import type { Conversations } from "./history/conversations.ts";
import { createDrafts, safeStorage } from "./model/drafts.ts";
import type { Drafts, DraftStorage } from "./model/drafts.ts";
import { isSame, isEmptyPrompt } from "./model/prompt.ts";
import { Outbox, MAX_QUEUED } from "./model/outbox.ts";
import { outcomeOf } from "./model/outcome-of.ts";
import type { Outcome } from "./model/outcome-of.ts";
import type { Prompt } from "./model/prompt.ts";
import { createToolTitles } from "./model/readable-text.ts";
import { turnsOf } from "./model/turns-of.ts";
import type { Talking } from "./model/turns-of.ts";
import type { Turn } from "./model/turns.ts";
import type { TalkOptions } from "./talk-options.ts";
import type { Typing } from "./view/typing.ts";
import { noParent } from "./talk-parent.ts";
import type { TalkParentState } from "./talk-parent.ts";

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
    return Array.isArray(kept) ? kept.filter(isQueued).slice(0, MAX_QUEUED) : [];
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
  /** This one and those before it: of the hub, or where the core is in the page, those that the page keeps. */
  readonly conversations: Conversations;
  /** The current state. */
  turns(): readonly Turn[];
  /** Why there is no answer, where there is none. */
  outcome(): Outcome | undefined;
  /** Retries the answer that failed. */
  tryAgain(): void;
  close(): void;
}

/** Only the agent and `onChange` are needed; the rest is for the agent's window. */
export interface TalkModelOptions
  extends
    Pick<TalkOptions, "agent" | "tabs" | "page">,
    Partial<Pick<TalkOptions, "parent" | "session" | "storage" | "clock">> {
  readonly typing?: Pick<Typing, "isNow">;
  /** Something that is shown has changed. */
  readonly onChange: () => void;
  /** Announces a text that is not visible. */
  readonly onNotice?: (text: string) => void;
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
  "usage",
];

function withDefaults(options: TalkModelOptions) {
  return {
    ...options,
    parent: options.parent ?? noParent,
    session: options.session ?? { info: { model: {} } },
    typing: options.typing ?? { isNow: false },
    storage: options.storage ?? safeStorage(),
    clock: options.clock ?? browserClock,
    onNotice: options.onNotice ?? (() => {}),
  };
}

/** The chat without a view: turns, drafts, and one prompt at a time. Close it once it is no longer shown. */
export function createTalkModel(options: TalkModelOptions): TalkModel {
  const { agent, tabs, page, parent, session, typing, storage, clock, onNotice } = withDefaults(options);
  // Keep partial answers when an answer is stopped or breaks off.
  agent.keepOnFailure = true;
  const left = new AbortController();
  const titleOfTool = createToolTitles(storage);
  const drawing = coalesce(options.onChange);
  const drafts = createDrafts({ storage, conversation: agent.conversation });
  let messages: readonly AiMessage[] = agent.messages;
  // Without a hub there is no place to give a prompt back to that is on its way in a conversation which is left.
  const onLeave = () => agent.connection === "local" && outbox.forget();
  const conversations = createConversations(agent, { onLeave });
  let cancelProposal = () => {};
  const outbox = new Outbox({
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
  const take: Parameters<typeof parent.onInject>[0] = ({ message, autoSend, origin }) => {
    const prompt: Prompt = { text: message, images: [], from: origin };
    if (isEmptyPrompt(prompt)) return;
    if (!autoSend) propose(prompt);
    else if (!outbox.queueUp(prompt)) {
      onNotice(`${origin} sent more than ${MAX_QUEUED} messages at once. The last one was not taken.`);
    }
    drawing.ask();
  };
  const leaves = [parent.onState(look), tabs?.onChange(look), parent.onInject(take), conversations.close];

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
    conversations,
    turns: () => turnsOf(talkingOf()),
    outcome: () =>
      outcomeOf({ agent, outbox, session, parent: parent.state, tabs, page, lastRole: messages.at(-1)?.role }),
    tryAgain() {
      const { failed, queue } = outbox;
      if (failed === undefined) return void outbox.regenerate();
      if (queue.includes(failed)) return outbox.release();
      if (outbox.send(failed) && isSame(drafts.current, failed)) drafts.take();
    },
    close() {
      left.abort();
      for (const leave of leaves) leave?.();
      cancelProposal();
      outbox.close();
      drawing.close();
    },
  };

  function talkingOf(): Talking {
    const { content, reasoning, loading, streaming, toolCalls, usage } = agent;
    const titleOf: Talking["titleOf"] = (name, approval) => {
      const title = approval?.title ?? page?.tools.find((tool) => tool.name === name)?.title;
      return titleOfTool(name, parent.state, title === undefined ? undefined : { title });
    };
    return { messages, content, reasoning, loading, streaming, toolCalls, usage, sending: outbox.sending, titleOf };
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
function hasTools(parent: TalkParentState, conversation: string | null, mayUseTabs: boolean): boolean {
  if (parent.kind === "waiting") return false;
  if (parent.kind !== "connected" && !(parent.kind === "none" && mayUseTabs)) return true;
  return parent.relay !== undefined && parent.relay !== "waiting" && conversation !== null;
}
