import { render } from "preact";
import { Button } from "../../../common/src/ui/button.tsx";
import type { Dashboard, Note } from "../state/dashboard.ts";
import { byId } from "./dom.ts";
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

  function remove({ id }: Note): void {
    dashboard.removeNote(id);
    list.focus();
  }

  dashboard.watch(["notes"], ({ notes }) =>
    render(
      notes.length === 0 ? (
        <li class="empty">No notes yet. A note about a day also marks the chart.</li>
      ) : (
        notes.map((note) => <NoteItem key={note.id} note={note} onRemove={() => remove(note)} />)
      ),
      list,
    ),
  );

  return {
    write(about) {
      day.value = about;
      text.focus();
    },
  };
}

function NoteItem({ note: { text, author, day }, onRemove }: { readonly note: Note; readonly onRemove: () => void }) {
  return (
    <li class="note">
      <p class="note-text">{text}</p>
      <p class="hint note-about">{day === undefined ? author : `${author} · about ${formatFullDay(day)}`}</p>
      <Button kind="quiet" small icon={icons.close} label={`Delete the note "${text}"`} onClick={onRemove} />
    </li>
  );
}

function inputOf(form: HTMLFormElement, name: string): HTMLInputElement {
  const input = form.elements.namedItem(name);
  if (!(input instanceof HTMLInputElement)) throw new Error(`The notes form has no input named "${name}": restore it.`);
  return input;
}
