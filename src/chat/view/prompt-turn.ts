import { showInvisible } from "../../wire/index.ts";
import { html, show } from "../dom/dom.ts";
import { isEmptyPrompt } from "../model/prompt.ts";
import type { Prompt, PromptFile } from "../model/prompt.ts";
import type { PromptTurn } from "../model/turns.ts";
import { fileWords } from "./attachments.ts";
import { iconButton } from "./icon-button.ts";
import { pictures } from "./pictures.ts";
import { textField } from "./text-field.ts";
import type { TurnView } from "./turn-view.ts";

export interface PromptTurnView extends TurnView<PromptTurn> {
  readonly id: string | undefined;
  /** Opens the field for editing, with this text. */
  edit(text?: string): void;
}

export interface PromptTurnOptions {
  /** Edits a turn of the conversation. False if that is impossible now: the field remains open. */
  readonly onEdit: (messageId: string, prompt: Prompt) => boolean;
  /** The field was closed. */
  readonly onLeave: () => void;
}

/** A prompt of the user, or of an app in the user's place. */
export function createPromptTurn(first: PromptTurn, { onEdit, onLeave }: PromptTurnOptions): PromptTurnView {
  let turn = first;
  let isEditing = false;
  const text = html("p", { class: "said" });
  const pictureBox = html("div", {});
  const shown = html("div", { class: "bubble", part: "question" }, pictureBox, text);
  const button = iconButton({ icon: "edit", name: "Edit this message", onclick: () => edit() });
  const actions = html("div", { class: "actions at-rest" }, button);
  const editor = html("div", { class: "editor", hidden: true });
  const field = textField({ name: "Edit the message", onEnter: send, onEscape: leave });
  const who = html("p", { class: "who" });
  const element = html("article", {}, who, shown, editor, actions);
  show(
    editor,
    field,
    html("button", { type: "button", class: "button strong", onclick: send }, "Send"),
    html("button", { type: "button", class: "button", onclick: leave }, "Cancel"),
  );

  function draw(): void {
    const { from, id, images, files = [] } = turn;
    const isSending = id === undefined;
    element.className = `turn ${from === undefined ? "user" : "app"}${isSending ? " sending" : ""}`;
    element.setAttribute("aria-label", from === undefined ? "You" : `The app ${from}`);
    who.textContent = from === undefined ? "" : `From ${showInvisible(from)}`;
    who.hidden = from === undefined;
    text.textContent = from === undefined ? turn.text : showInvisible(turn.text);
    text.hidden = turn.text === "";
    show(pictureBox, images.length > 0 && pictures(images), files.length > 0 && chips(files));
    button.hidden = isSending;
    shown.hidden = isEditing;
    actions.hidden = isEditing;
    editor.hidden = !isEditing;
  }

  function edit(words = turn.text): void {
    isEditing = true;
    field.value = words;
    draw();
    field.focus();
    field.setSelectionRange(words.length, words.length);
  }

  function close(): void {
    isEditing = false;
    draw();
  }

  function leave(): void {
    close();
    onLeave();
  }

  function send(): void {
    const { id, images, files, from } = turn;
    const prompt = { text: field.value, images, files, from };
    if (id === undefined || isEmptyPrompt(prompt)) return;
    if (onEdit(id, prompt)) close();
  }

  draw();
  return {
    element,
    get id() {
      return turn.id;
    },
    edit,
    update(next) {
      turn = next;
      draw();
    },
    close: () => {},
  };
}

function chips(files: readonly PromptFile[]): HTMLElement {
  const items = files.map((file) => html("li", { class: "file-chip" }, ...fileWords(file)));
  return html("ul", { class: "file-chips", "aria-label": "Files" }, ...items);
}
