// The composer. Handles drafts; independent of the conversation.
import { showInvisible } from "pagewire/wire";
import { html, icon, show } from "../../../../common/src/dom.ts";
import type { Drafts } from "../state/drafts.ts";
import { isEmptyPrompt } from "../state/prompt.ts";
import type { Prompt } from "../state/prompt.ts";
import { createAttach } from "./attach.ts";
import { iconButton } from "./icon-button.ts";
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
  const mark = html("p", { class: "mark", hidden: true });
  const thumbnails = html("ul", { class: "thumbnails", "aria-label": "Pictures to send" });
  const problem = html("p", { class: "problem", role: "alert" });
  const attach = createAttach({
    area,
    field,
    images: () => drafts.current.images,
    onImages: (images) => write({ images }),
    onProblems: (problems) => say(problems.join(" ")),
  });
  const sendButton = html("button", { type: "submit", class: "round", "aria-label": "Send" }, icon(icons.send));
  const stopButton = html(
    "button",
    { type: "button", class: "round", "aria-label": "Stop the answer", onclick: onStop, hidden: true },
    icon(icons.stop),
  );
  const row = html("div", { class: "composer-row" }, ...attach.elements, field, sendButton, stopButton);
  const element = html("form", { class: "composer" }, mark, thumbnails, row, problem);

  function write(changes: Partial<Pick<Prompt, "text" | "images">>): void {
    drafts.write(changes);
    drawDraft();
  }

  function say(text: string): void {
    problem.textContent = text;
  }

  function send(): void {
    const prompt = drafts.current;
    if (isEmptyPrompt(prompt)) return;
    if (isBusy) return say(stillBusy);
    say("");
    if (!onSend(prompt)) return;
    drafts.take();
    drawDraft();
  }

  function drawDraft(): void {
    const { text, images, from } = drafts.current;
    if (shown === drafts.current) return;
    shown = drafts.current;
    // Set again, the same text would lose the place where the user writes.
    if (field.value !== text) field.value = text;
    mark.hidden = from === undefined;
    if (from !== undefined) {
      show(
        mark,
        html("span", {}, `From ${showInvisible(from)}`),
        html("button", { type: "button", class: "link", onclick: discard }, "Discard"),
      );
    }
    show(thumbnails, ...images.map(thumbnail));
    thumbnails.hidden = images.length === 0;
    sendButton.disabled = isEmptyPrompt(drafts.current);
  }

  function discard(): void {
    drafts.take();
    drawDraft();
    field.focus();
  }

  function thumbnail(url: string, at: number): HTMLElement {
    const remove = () => {
      write({ images: drafts.current.images.filter((_, index) => index !== at) });
      field.focus();
    };
    return html(
      "li",
      {},
      html("img", { src: url, alt: `Picture ${at + 1}` }),
      iconButton({ icon: "close", name: `Remove picture ${at + 1}`, onclick: remove }),
    );
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
