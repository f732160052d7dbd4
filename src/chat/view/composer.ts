// The composer. Handles drafts; independent of the conversation.
import { showInvisible } from "../../wire/index.ts";
import { html, icon, show } from "../dom/dom.ts";
import type { Drafts } from "../model/drafts.ts";
import { isEmptyPrompt } from "../model/prompt.ts";
import type { Prompt } from "../model/prompt.ts";
import { createAttach } from "./attach.ts";
import { createAttachments } from "./attachments.ts";
import { icons } from "./icons.ts";
import { textField } from "./text-field.ts";
import type { Typing } from "./typing.ts";

/** Why something is not sent now. */
export const stillBusy = "An answer is on its way. Wait for it, or stop it: your message stays here.";

export interface ComposerOptions {
  readonly drafts: Drafts;
  readonly typing: Typing;
  /** The drop target for files. */
  readonly area: HTMLElement;
  /** False if it cannot be sent now: the draft is kept. */
  readonly onSend: (prompt: Prompt) => boolean;
  readonly onStop: () => void;
  /** The user wants to edit the last turn. */
  readonly onEditLast: () => void;
  /** Shown below the field. */
  readonly accessory?: HTMLElement | undefined;
}

export interface Composer {
  readonly element: HTMLElement;
  /** Whether the user is doing something that must keep the focus. */
  readonly isInUse: boolean;
  /** Shows the draft as it is now, and whether an answer is awaited. */
  draw(state: { readonly isBusy: boolean; readonly placeholder: string }): void;
  say(problem: string): void;
  focus(): void;
  close(): void;
}

export function createComposer(options: ComposerOptions): Composer {
  const { drafts, typing, area, onSend, onStop, onEditLast } = options;
  let isBusy = false;
  let shown: Prompt | undefined;
  const field = textField({ name: "Message", onEnter: send, onEscape: () => isBusy && onStop() });
  const mark = createMark(discard);
  const attachments = createAttachments((changes) => {
    write(changes);
    field.focus();
  });
  const problem = html("p", { class: "problem", role: "alert" });
  const attach = createAttach({
    area,
    field,
    drafts,
    onAdd({ images, files }) {
      const { current } = drafts;
      write({ images: [...current.images, ...images], files: [...(current.files ?? []), ...files] });
    },
    onProblems: (problems) => say(problems.join(" ")),
  });
  const sendButton = roundButton("send", { type: "submit", "aria-label": "Send" });
  const stopping = { type: "button", "aria-label": "Stop the answer", onclick: onStop, hidden: true };
  const stopButton = roundButton("stop", stopping);
  const row = html("div", { class: "composer-row" }, ...attach.elements, field, sendButton, stopButton);
  const parts = [mark.element, attachments.element, row, options.accessory, problem];
  const element = html("form", { class: "composer", part: "composer" }, ...parts);

  function write(changes: Parameters<Drafts["write"]>[0]): void {
    drafts.write(changes);
    drawDraft();
  }

  function say(text: string): void {
    problem.textContent = text;
  }

  function send(): void {
    const prompt = drafts.current;
    if (attach.isReading) return say("Your files are still being read. Send it in a moment.");
    if (isEmptyPrompt(prompt)) return;
    if (isBusy) return say(stillBusy);
    say("");
    if (!onSend(prompt)) return;
    drafts.take();
    drawDraft();
  }

  function drawDraft(): void {
    const { text, from } = drafts.current;
    if (shown === drafts.current) return;
    shown = drafts.current;
    // Set again, the same text would lose the place where the user writes.
    if (field.value !== text) field.value = text;
    mark.draw(from);
    attachments.draw(drafts.current);
    sendButton.disabled = isEmptyPrompt(drafts.current);
  }

  function discard(): void {
    drafts.take();
    drawDraft();
    field.focus();
  }

  typing.watch(field);
  field.addEventListener("input", () => {
    say("");
    write({ text: field.value });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" || event.isComposing || !isEmptyPrompt(drafts.current)) return;
    event.preventDefault();
    onEditLast();
  });
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  drawDraft();

  return {
    element,
    get isInUse() {
      return !isEmptyPrompt(drafts.current) || typing.isNow;
    },
    draw(state) {
      isBusy = state.isBusy;
      field.placeholder = state.placeholder;
      stopButton.hidden = !isBusy;
      sendButton.hidden = isBusy;
      drawDraft();
    },
    say,
    focus: () => field.focus(),
    close: attach.close,
  };
}

function roundButton(part: "send" | "stop", attributes: Parameters<typeof html>[1]): HTMLButtonElement {
  return html("button", { ...attributes, class: "round", part }, icon(icons[part]));
}

/** The app that wrote a draft, if the user did not. */
function createMark(onDiscard: () => void) {
  const element = html("p", { class: "mark", hidden: true });
  return {
    element,
    draw(from: string | undefined) {
      element.hidden = from === undefined;
      if (from === undefined) return;
      const words = html("span", {}, `From ${showInvisible(from)}`);
      show(element, words, html("button", { type: "button", class: "link", onclick: onDiscard }, "Discard"));
    },
  };
}
