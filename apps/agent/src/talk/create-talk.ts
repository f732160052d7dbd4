// The conversation with its messages, calls and composer, without the window around it.
import { html } from "../../../common/src/dom.ts";
import { hostOf } from "../hosts.ts";
import { createApprovals } from "./approvals.ts";
import { createTurnViews } from "./create-turn-views.ts";
import type { TurnViews } from "./create-turn-views.ts";
import { createNews } from "./state/news.ts";
import type { Prompt } from "./state/prompt.ts";
import { createTalkModel } from "./talk-model.ts";
import type { TalkOptions } from "./talk-options.ts";
import { createComposer, stillBusy } from "./view/composer.ts";
import { copyText } from "./view/copy-text.ts";
import { createEmptyView } from "./view/empty.ts";
import { createFrame } from "./view/frame.ts";
import { createNotSavedView } from "./view/not-saved.ts";
import { createOutcomeView } from "./view/outcome.ts";
import { createQueueView } from "./view/queue.ts";
import { createTyping } from "./view/typing.ts";

export interface TalkElement {
  readonly element: HTMLElement;
  focus(): void;
  close(): void;
}

export function createTalk(options: TalkOptions): TalkElement {
  const { agent, parent, announce, clock, askElsewhere } = options;
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
    log: frame.log,
    parent,
    clock,
    ask: approvals.ask,
    onEdit: edit,
    onCopy: (text) => void copyText(text).then((isDone) => announce(isDone ? "Copied." : "It could not be copied.")),
    onRegenerate: () => void outbox.regenerate(),
    onLeft: () => composer.focus(),
  });
  const composer = createComposer({
    drafts,
    typing,
    area: element,
    onSend: send,
    onStop: outbox.stop,
    onEditLast: () => !outbox.isBusy && turns.edit(),
  });
  const empty = createEmptyView(suggest);
  const queue = createQueueView(outbox);
  const outcome = createOutcomeView(model.tryAgain);
  const notSaved = createNotSavedView(announce);
  frame.fill({
    empty: empty.element,
    outcome: outcome.element,
    notSaved: notSaved.element,
    queue: queue.element,
    composer: composer.element,
  });

  function draw(): void {
    const shown = model.turns();
    const why = model.outcome();
    turns.update(shown);
    empty.draw(shown.length === 0, parent.state, options.tabs);
    queue.draw();
    outcome.draw(why);
    notSaved.draw(agent.notSaved);
    const { kind } = parent.state;
    const placeholder = kind === "connected" ? `Ask about ${hostOf(parent.state.origin)}` : "Ask anything";
    composer.draw({ isBusy: outbox.isBusy, placeholder });
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
    focus: () => composer.focus(),
    close() {
      model.close();
      turns.close();
      approvals.close();
      frame.follower.close();
      composer.close();
    },
  };
}

/** Whether the keyboard focus is free. */
function isFree(composer: HTMLElement): boolean {
  const { activeElement } = document;
  return document.hasFocus() && (activeElement === document.body || composer.contains(activeElement));
}
