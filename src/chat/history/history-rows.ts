// The rows of a list of conversations, and the keys that move between them.
import { html, icon } from "../dom/dom.ts";
import { whenText } from "../dom/when-text.ts";
import { icons } from "../view/icons.ts";
import type { ConversationEntry } from "./conversations.ts";

export interface RowOptions {
  readonly isCurrent: boolean;
  readonly now: number;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}

export function createRow(entry: ConversationEntry, { isCurrent, now, onOpen, onDelete }: RowOptions): HTMLElement {
  const title = nameOf(entry);
  const opening = html(
    "button",
    { type: "button", class: "open", "aria-current": isCurrent && "true", title, onclick: onOpen },
    html("span", { class: "title" }, title),
    html("span", { class: "when" }, whenText(entry.changedAt, now)),
  );
  const deletion = {
    type: "button",
    class: "small-button delete",
    "aria-label": `Delete the conversation “${title}”`,
    title: "Delete",
    onclick: onDelete,
  };
  return html("li", { class: "entry", "data-id": entry.id }, opening, html("button", deletion, icon(icons.bin)));
}

export interface QuestionOptions {
  readonly onYes: () => void;
  readonly onKeep: () => void;
}

/** In the row's place, before its conversation is deleted. */
export function createQuestion(entry: ConversationEntry, { onYes, onKeep }: QuestionOptions): HTMLElement {
  const title = nameOf(entry);
  const question = html(
    "div",
    { class: "question danger", role: "group", "aria-label": `Delete “${title}”?` },
    html("p", {}, `Delete “${title}”? It cannot be brought back.`),
    html("button", { type: "button", class: "button danger yes", onclick: onYes }, "Delete"),
    html("button", { type: "button", class: "button keep", onclick: onKeep }, "Keep"),
  );
  return html("li", { "data-id": entry.id }, question);
}

function nameOf({ title }: ConversationEntry): string {
  return title || "Untitled";
}

const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Moves the focus among the rows by the arrow keys, Home and End. */
export function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const all = [...list.querySelectorAll<HTMLElement>(".open")];
  const focused = focusIn(list);
  const index = all.findIndex((element) => element === focused);
  const next = index < 0 ? undefined : steps[event.key]?.(index, all.length);
  if (next === undefined) return;
  event.preventDefault();
  all[next]?.focus();
}

/** The conversation whose row has the focus, and the class of the part that has it. */
export function focusedRow(list: HTMLElement): { readonly id: string; readonly part: string } | undefined {
  const focused = focusIn(list);
  const id = focused?.closest<HTMLElement>("[data-id]")?.dataset["id"];
  return id === undefined ? undefined : { id, part: focused?.classList.item(focused.classList.length - 1) ?? "open" };
}

export function focusRow(list: HTMLElement, id: string, part: string): void {
  list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .${part}`)?.focus();
}

function focusIn(list: HTMLElement): Element | null {
  const { activeElement } = list.getRootNode() as Document | ShadowRoot;
  return list.contains(activeElement) ? activeElement : null;
}
