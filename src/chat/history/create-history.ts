// The list of conversations by title. Its owner opens and begins them.
import { messageOf } from "../../wire/index.ts";
import { html, icon, show } from "../dom/dom.ts";
import { isSame } from "../model/prompt.ts";
import type { TalkAgent } from "../talk-agent.ts";
import { icons } from "../view/icons.ts";
import { searchTitles } from "./conversations.ts";
import type { ConversationEntry, ConversationSource } from "./conversations.ts";
import { createQuestion, createRow, focusedRow, focusRow, moveFocus } from "./history-rows.ts";

export interface HistoryOptions {
  readonly agent: Pick<TalkAgent, "addEventListener" | "loading" | "connection">;
  readonly conversations: ConversationSource;
  /** Shows a conversation; null for a new one. */
  open(id: string | null): void;
  announce(text: string): void;
  /** The list has other entries. */
  onChange?(entries: readonly ConversationEntry[]): void;
  readonly now?: () => number;
  /** Waits between two requests for a conversation that must be listed soon. */
  readonly pause?: () => Promise<void>;
}

/** Number of conversations from which on they can be searched. */
const SEARCHED = 8;

/** Number of requests for a conversation that must be listed soon. */
const ATTEMPTS = 5;

export interface History {
  readonly element: HTMLElement;
  /** Requests the list again. */
  refresh(): Promise<void>;
  close(): void;
}

/** Follows the agent: the list is requested again after each answer, and when the window gets the focus. */
export function createHistory(options: HistoryOptions): History {
  const view = new HistoryView(options);
  const { agent } = options;
  const left = new AbortController();
  const { signal } = left;
  const refresh = () => view.refresh();
  agent.addEventListener("ai-agent:conversation-changed", () => view.draw(), { signal });
  agent.addEventListener("ai-agent:connection-changed", () => agent.connection === "open" && void refresh(), {
    signal,
  });
  agent.addEventListener("ai-agent:loading-changed", () => void (agent.loading || view.refreshAfterAnswer()), {
    signal,
  });
  // Another window may have begun or deleted some.
  window.addEventListener("focus", () => void refresh(), { signal });
  return { element: view.element, refresh, close: () => left.abort() };
}

class HistoryView {
  readonly element: HTMLElement;
  readonly #options: HistoryOptions;
  readonly #list = html("ul", { class: "conversations entries", "aria-label": "Conversations" });
  readonly #problem = html("p", { class: "problem", role: "alert" });
  readonly #begin: HTMLButtonElement;
  readonly #search = html("input", {
    type: "search",
    class: "search",
    placeholder: "Search",
    "aria-label": "Search the conversations",
    hidden: true,
    oninput: () => this.draw(),
  });
  #entries: readonly ConversationEntry[] = [];
  #isDrawn = false;
  /** The conversation whose deletion awaits confirmation. */
  #doubtful: string | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const beginning = { type: "button", class: "button begin", onclick: () => options.open(null) };
    this.#begin = html("button", beginning, icon(icons.plus), "New conversation");
    this.element = html("div", { class: "history" }, this.#begin, this.#search, this.#list, this.#problem);
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  async refresh(): Promise<void> {
    const { conversations, onChange } = this.#options;
    try {
      const entries = await conversations.list();
      this.#problem.textContent = "";
      // A click that brings the window to the front must find its row where it began.
      if (this.#isDrawn && isSame(entries, this.#entries)) return;
      this.#entries = entries;
      onChange?.(entries);
    } catch (error) {
      this.#problem.textContent = `The list could not be read. ${messageOf(error)}`;
    }
    this.draw();
  }

  /** Until it has the conversation of now: a hub writes an answer down a moment after it was given. */
  async refreshAfterAnswer(id = this.#options.conversations.current, attempts = ATTEMPTS): Promise<void> {
    await this.refresh();
    const { conversations, pause = halfSecond } = this.#options;
    const isMissing = id !== null && id === conversations.current && !this.#entries.some((entry) => entry.id === id);
    if (!isMissing || attempts === 0) return;
    await pause();
    await this.refreshAfterAnswer(id, attempts - 1);
  }

  draw(): void {
    const focused = focusedRow(this.#list);
    this.#isDrawn = true;
    // A short list is read faster than it is searched.
    this.#search.hidden = this.#entries.length < SEARCHED && this.#search.value === "";
    const why = this.#entries.length === 0 ? "Nothing was said yet." : "No conversation has these words in its title.";
    const rows = searchTitles(this.#entries, this.#search.value).map((entry) => this.#row(entry));
    show(this.#list, ...(rows.length === 0 ? [html("li", { class: "none" }, why)] : rows));
    if (focused) focusRow(this.#list, focused.id, focused.part);
  }

  #row(entry: ConversationEntry): HTMLElement {
    const { conversations, open, now = Date.now } = this.#options;
    const { id } = entry;
    if (id === this.#doubtful) {
      return createQuestion(entry, { onYes: () => void this.#remove(id), onKeep: () => this.#keep(id) });
    }
    const isCurrent = id === conversations.current;
    return createRow(entry, { isCurrent, now: now(), onOpen: () => open(id), onDelete: () => this.#ask(id) });
  }

  #ask(id: string): void {
    this.#doubtful = id;
    this.draw();
    focusRow(this.#list, id, "keep");
  }

  #keep(id: string): void {
    this.#doubtful = undefined;
    this.draw();
    focusRow(this.#list, id, "delete");
  }

  async #remove(id: string): Promise<void> {
    const { conversations, open, announce } = this.#options;
    const at = this.#entries.findIndex((entry) => entry.id === id);
    const isCurrent = id === conversations.current;
    this.#doubtful = undefined;
    try {
      await conversations.remove(id);
      if (isCurrent) open(null);
      announce("Deleted");
      await this.refresh();
    } catch (error) {
      this.draw();
      this.#problem.textContent = `It was not deleted. ${messageOf(error)}`;
    }
    const next = this.#entries[Math.min(at, this.#entries.length - 1)];
    if (next) focusRow(this.#list, next.id, "open");
    else this.#begin.focus();
  }

  #press(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#doubtful !== undefined) {
      // The drawer around the list must not close with the question.
      event.stopPropagation();
      this.#keep(this.#doubtful);
    } else if (event.key === "Delete") {
      const { id } = focusedRow(this.#list) ?? {};
      if (id !== undefined) this.#ask(id);
    } else moveFocus(event, this.#list);
  }
}

const halfSecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));
