// The conversation with its messages, calls and composer, without the window around it.
import { html } from "./dom/dom.ts";
import { hostOf } from "./model/hosts.ts";
import { createApprovals } from "./approvals.ts";
import { createTurnViews } from "./create-turn-views.ts";
import type { TurnViews } from "./create-turn-views.ts";
import type { Prompt } from "./model/prompt.ts";
import { createTalkModel } from "./talk-model.ts";
import type { TalkModel } from "./talk-model.ts";
import type { TalkOptions, Announce } from "./talk-options.ts";
import { createComposer, stillBusy } from "./view/composer.ts";
import { createEmptyView } from "./view/empty.ts";
import { createFrame } from "./view/frame.ts";
import { createModelPlace } from "./view/model-place.ts";
import { createNotSavedView, createOutcomeView } from "./view/outcome.ts";
import { createQueueView } from "./view/queue.ts";
import { createTyping } from "./view/typing.ts";
import type { Outcome } from "./model/outcome-of.ts";
import type { Turn } from "./model/turns.ts";

export interface TalkElement {
  readonly element: HTMLElement;
  readonly conversations: TalkModel["conversations"];
  /** Shows what has changed around the talk. */
  draw(): void;
  focus(): void;
  /** Drops the question that is on its way or has failed: another conversation begins. */
  forget(): void;
  close(): void;
}

export function createTalk(options: TalkOptions): TalkElement {
  const { agent, parent, page, announce, clock, askElsewhere } = options;
  const element = html("section", { class: "talk", "aria-label": "Chat" });
  // Queued messages arrive before the talk is complete.
  const onNotice = (text: string) => queueMicrotask(() => composer.say(text));
  const typing = createTyping(clock);
  const model = createTalkModel({ ...options, typing, onChange: draw, onNotice });
  const { drafts, outbox } = model;
  const frame = createFrame(element);
  const approvals = createApprovals({ ...frame, agent, parent, clock, askElsewhere });
  const tell = createNews(announce);
  const turns: TurnViews = createTurnViews({
    ...{ log: frame.log, parent, clock, ask: approvals.ask },
    onEdit: edit,
    onCopy: (text) => void copyText(text).then((isDone) => announce(isDone ? "Copied." : "It could not be copied.")),
    onRegenerate: () => void outbox.regenerate(),
    onLeft: () => composer.focus(),
  });
  const models = createModelPlace(options);
  const composer = createComposer({
    drafts,
    typing,
    area: element,
    onSend: send,
    onStop: () => outbox.stop(),
    onEditLast: () => !outbox.isBusy && turns.edit(),
    accessory: html("div", { class: "composer-foot" }, options.accessory, models.element),
  });
  const empty = createEmptyView(suggest);
  const queue = createQueueView(outbox);
  const outcome = createOutcomeView(model.tryAgain);
  const notSaved = createNotSavedView(announce);
  frame.fill({
    ...{ empty: empty.element, outcome: outcome.element, notSaved: notSaved.element },
    ...{ queue: queue.element, composer: composer.element },
  });

  function draw(): void {
    const shown = model.turns();
    const why = model.outcome();
    turns.update(shown);
    empty.draw(shown.length === 0, parent.state, page ?? options.tabs);
    queue.draw();
    outcome.draw(why);
    notSaved.draw(agent.notSaved);
    composer.draw({ isBusy: outbox.isBusy, placeholder: placeholderOf(options) });
    models.draw();
    element.classList.toggle("busy", outbox.isBusy);
    tell({ isBusy: outbox.isBusy, outcome: why, turns: shown });
    approvals.show(!composer.isInUse && isFree(composer.element));
  }

  function send(prompt: Prompt): boolean {
    const isTaken = outbox.send(prompt);
    if (isTaken) frame.follower.toEnd();
    return isTaken;
  }

  function edit(messageId: string, prompt: Prompt): boolean {
    if (outbox.isBusy) {
      composer.say(stillBusy);
      return false;
    }
    const { conversation } = agent;
    void outbox.edit(messageId, prompt).then((isKept) => {
      if (isKept) return;
      draw();
      // The text is not lost: its editor opens again, or it moves to the composer.
      if (!turns.edit(messageId, prompt.text)) drafts.giveBack(prompt, conversation);
      draw();
    });
    frame.follower.toEnd();
    composer.focus();
    return true;
  }

  function suggest(text: string): void {
    drafts.write({ text });
    draw();
    composer.focus();
  }

  draw();
  return {
    element,
    conversations: model.conversations,
    draw,
    focus: () => composer.focus(),
    forget: () => outbox.forget(),
    close() {
      model.close();
      turns.close();
      approvals.close();
      frame.follower.close();
      composer.close();
      models.close();
    },
  };
}

function placeholderOf({ parent, page }: TalkOptions): string {
  if (parent.state.kind === "connected") return `Ask about ${hostOf(parent.state.origin)}`;
  return page?.placeholder ?? "Ask anything";
}

/** Whether the keyboard focus is free. In a page of others it is so in the composer only. */
function isFree(composer: HTMLElement): boolean {
  const { activeElement } = composer.getRootNode() as Document | ShadowRoot;
  return document.hasFocus() && (activeElement === document.body || composer.contains(activeElement));
}

interface Now {
  readonly isBusy: boolean;
  readonly outcome: Outcome | undefined;
  readonly turns: readonly Turn[];
}

/** Announces changes to screen readers: the start and end of an answer, and pending questions; never each word. */
function createNews(announce: Announce): (now: Now) => void {
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

/** Puts a text on the clipboard. Resolves with whether it is there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Pages that are not secure contexts have no other clipboard. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = html("textarea", { class: "visually-hidden", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}
