// The list of conversations by title. Its owner opens and starts them.
import { messageOf } from "pagewire/wire";
import { whenText } from "../../../common/src/when-text.ts";
import { html, icon, show } from "../../../common/src/dom.ts";
import { icons } from "../icons.ts";
import type { Session } from "../session/session.ts";

const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Moves the focus among the elements of a list by the arrow keys, Home and End. */
function moveFocus(event: KeyboardEvent, elements: Iterable<HTMLElement>): void {
  const all = [...elements];
  const index = all.findIndex((element) => element === document.activeElement);
  const next = index < 0 ? undefined : steps[event.key]?.(index, all.length);
  if (next === undefined) return;
  event.preventDefault();
  all[next]?.focus();
}

export interface HistoryParts {
  readonly session: Pick<Session, "request">;
  /** The id of the conversation that is shown. */
  getCurrent(): string | null;
  open(id: string): void;
  /** Starts a new conversation. */
  begin(): void;
  announce(text: string): void;
  readonly now?: () => number;
  /** Waits between two polls for a conversation that must be listed soon. */
  readonly pause?: () => Promise<void>;
}

/** Number of polls for a conversation that must be listed soon. */
const ATTEMPTS = 5;

export interface History {
  readonly element: HTMLElement;
  /** Requests the list from the hub again. */
  refresh(): Promise<void>;
  /** Does so until it has the conversation of now: the hub writes an answer down a moment after it was given. */
  refreshAfterAnswer(): Promise<void>;
  /** Marks the conversation that is shown. */
  mark(): void;
}

export function createHistory(parts: HistoryParts): History {
  const { session, getCurrent, open, begin, announce, now = Date.now, pause = halfSecond } = parts;
  const list = html("ul", { class: "conversations entries", "aria-label": "Conversations" });
  const problem = html("p", { class: "problem", role: "alert" });
  const beginButton = html(
    "button",
    { type: "button", class: "button begin", onclick: begin },
    icon(icons.plus),
    "New conversation",
  );
  const element = html("div", { class: "history" }, beginButton, list, problem);
  let entries: readonly ConversationEntry[] = [];
  /** The conversation whose deletion awaits confirmation. */
  let doubtful: string | undefined;

  async function refreshUntilListed(id: string | null, attempts: number): Promise<void> {
    await refresh();
    if (attempts > 0 && id !== null && id === getCurrent() && !entries.some((entry) => entry.id === id)) {
      await pause();
      await refreshUntilListed(id, attempts - 1);
    }
  }

  async function refresh(): Promise<void> {
    try {
      entries = parseConversations(await session.request("GET", "/api/conversations"));
      problem.textContent = "";
    } catch (error) {
      problem.textContent = `The list could not be read. ${messageOf(error)}`;
    }
    draw();
  }

  function draw(): void {
    const focused = focusedIn(list);
    const none = html("li", { class: "none" }, "Nothing was said yet.");
    show(
      list,
      ...(entries.length === 0 ? [none] : entries.map((entry) => (entry.id === doubtful ? doubt(entry) : row(entry)))),
    );
    if (focused) list.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused.id)}"] .${focused.part}`)?.focus();
  }

  function row(entry: ConversationEntry): HTMLElement {
    const isCurrent = entry.id === getCurrent();
    const title = entry.title || "Untitled";
    const opening = html(
      "button",
      { type: "button", class: "open", "aria-current": isCurrent && "true", title, onclick: () => open(entry.id) },
      html("span", { class: "title" }, title),
      html("span", { class: "when" }, whenText(entry.changedAt, now())),
    );
    const name = `Delete the conversation “${title}”`;
    const deletion = {
      type: "button",
      class: "small-button delete",
      "aria-label": name,
      title: "Delete",
      onclick: () => ask(entry),
    };
    return html("li", { class: "entry", "data-id": entry.id }, opening, html("button", deletion, icon(icons.bin)));
  }

  function doubt(entry: ConversationEntry): HTMLElement {
    const title = entry.title || "Untitled";
    return html(
      "li",
      { class: "question danger", "data-id": entry.id, role: "group", "aria-label": `Delete “${title}”?` },
      html("p", {}, `Delete “${title}”? It cannot be brought back.`),
      html("button", { type: "button", class: "button danger yes", onclick: () => void remove(entry) }, "Delete"),
      html("button", { type: "button", class: "button keep", onclick: () => keep(entry) }, "Keep"),
    );
  }

  function focusOn({ id }: ConversationEntry, part: string): void {
    list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .${part}`)?.focus();
  }

  function ask(entry: ConversationEntry): void {
    doubtful = entry.id;
    draw();
    focusOn(entry, "keep");
  }

  function keep(entry: ConversationEntry): void {
    doubtful = undefined;
    draw();
    focusOn(entry, "delete");
  }

  async function remove(entry: ConversationEntry): Promise<void> {
    const at = entries.indexOf(entry);
    doubtful = undefined;
    try {
      await session.request("DELETE", `/api/conversations/${encodeURIComponent(entry.id)}`);
      if (entry.id === getCurrent()) begin();
      announce("Deleted");
      await refresh();
    } catch (error) {
      draw();
      problem.textContent = `It was not deleted. ${messageOf(error)}`;
    }
    const next = entries[Math.min(at, entries.length - 1)];
    if (next) focusOn(next, "open");
    else beginButton.focus();
  }

  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && doubtful !== undefined) {
      const entry = entries.find(({ id }) => id === doubtful);
      // The drawer around the list must not close with the question.
      event.stopPropagation();
      if (entry) keep(entry);
    } else if (event.key === "Delete") {
      const entry = entries.find(({ id }) => id === focusedIn(list)?.id);
      if (entry) ask(entry);
    } else moveFocus(event, list.querySelectorAll<HTMLElement>(".open"));
  });
  return { element, refresh, refreshAfterAnswer: () => refreshUntilListed(getCurrent(), ATTEMPTS), mark: draw };
}

const halfSecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

function focusedIn(list: HTMLElement): { readonly id: string; readonly part: string } | undefined {
  const focused = document.activeElement;
  const id = list.contains(focused) ? focused?.closest<HTMLElement>("[data-id]")?.dataset["id"] : undefined;
  return id === undefined ? undefined : { id, part: focused?.classList.item(focused.classList.length - 1) ?? "open" };
}

/** A conversation that the hub keeps. */
interface ConversationEntry {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Parses the hub's list; entries that are not conversations are left out. */
export function parseConversations(value: unknown): readonly ConversationEntry[] {
  const { conversations } = Object(value) as { conversations?: unknown };
  return Array.isArray(conversations) ? conversations.filter(isEntry) : [];
}

function isEntry(value: unknown): value is ConversationEntry {
  const { id, title, changedAt } = Object(value) as Record<string, unknown>;
  return typeof id === "string" && id !== "" && typeof title === "string" && Number.isFinite(changedAt);
}
