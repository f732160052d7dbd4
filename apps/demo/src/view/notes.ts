import type { Dashboard, Note } from "../state/dashboard.ts";
import { byId, html, icon, show } from "./dom.ts";
import { formatFullDay } from "./format.ts";
import { icons } from "./icons.ts";

/** The notes, and the form to write one. */
export interface NotesPanel {
  /** Starts a note about a day. */
  write(day: string): void;
}

/** Shows the notes panel. */
export function mountNotes(dashboard: Dashboard): NotesPanel {
  const form = byId("note-form", HTMLFormElement);
  const list = byId("notes", HTMLUListElement);
  const text = inputOf(form, "text");
  const day = inputOf(form, "day");
  day.min = dashboard.sales.firstDay;
  day.max = dashboard.sales.lastDay;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (text.value.trim() === "") return;
    dashboard.addNote({ text: text.value.trim(), author: "You", ...(day.value !== "" && { day: day.value }) });
    form.reset();
    text.focus();
  });

  dashboard.watch(["notes"], ({ notes }) => {
    const empty = html("li", { class: "empty" }, "No notes yet. A note about a day also marks the chart.");
    show(list, ...(notes.length === 0 ? [empty] : notes.map((note) => createItem(note))));
  });

  function createItem(note: Note): HTMLLIElement {
    function remove(): void {
      dashboard.removeNote(note.id);
      list.focus();
    }
    const label = `Delete the note "${note.text}"`;
    return html(
      "li",
      { class: "note" },
      html("p", { class: "note-text" }, note.text),
      html("p", { class: "note-about" }, aboutNote(note)),
      html(
        "button",
        { type: "button", class: "button square", "aria-label": label, onclick: remove },
        icon(icons.close),
      ),
    );
  }

  return {
    write(about) {
      day.value = about;
      text.focus();
    },
  };
}

function aboutNote({ author, day }: Note): string {
  return day === undefined ? author : `${author} · about ${formatFullDay(day)}`;
}

function inputOf(form: HTMLFormElement, name: string): HTMLInputElement {
  const input = form.elements.namedItem(name);
  if (!(input instanceof HTMLInputElement)) throw new Error(`The notes form has no input named "${name}": restore it.`);
  return input;
}
