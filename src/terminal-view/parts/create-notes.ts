// Short notifications. They disappear after a while; those with a button remain until answered.
import type { Clock } from "../../link/index.ts";
import { make, makeButton } from "./make.ts";

export interface Notes {
  readonly element: HTMLElement;
  say(text: string): void;
  /** Shows a note with a button. Clicking or closing removes it. */
  offer(text: string, answer: HTMLElement): void;
  close(): void;
}

/** How long a note is shown, in milliseconds. */
const readingTime = 6000;
const maxNotes = 3;

export function createNotes(clock: Clock): Notes {
  const element = make("div", { className: "notes", role: "status" });
  const timers = new Set<() => void>();

  function show(note: HTMLElement): void {
    element.append(note);
    while (element.childElementCount > maxNotes) element.firstElementChild?.remove();
  }

  return {
    element,
    say(text) {
      // Do not repeat the same note, even if a program triggers it in a loop.
      if (element.lastElementChild?.matches(".text") && element.lastElementChild.textContent === text) return;
      const note = make("p", { className: "note text" }, text);
      show(note);
      const stop = clock.after(readingTime, () => {
        timers.delete(stop);
        note.remove();
      });
      timers.add(stop);
    },
    offer(text, answer) {
      const note = make("div", { className: "note" }, make("p", {}, text));
      const closing = makeButton("Close", () => note.remove());
      note.append(make("div", { className: "row" }, answer, closing));
      answer.addEventListener("click", () => note.remove());
      show(note);
    },
    close() {
      for (const stop of timers) stop();
      element.replaceChildren();
    },
  };
}
