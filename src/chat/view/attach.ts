// The ways in for pictures and files: pasted, dropped, or chosen.
import { html } from "../dom/dom.ts";
import type { Drafts } from "../model/drafts.ts";
import type { Attached } from "../model/read-files.ts";
import { iconButton } from "./icon-button.ts";

export interface AttachOptions {
  /** The drop target for files. */
  readonly area: HTMLElement;
  readonly field: HTMLElement;
  readonly drafts: Pick<Drafts, "current" | "place">;
  readonly onAdd: (added: Attached) => void;
  readonly onProblems: (problems: readonly string[]) => void;
}

export interface Attach {
  /** The button, and the input that opens the system's file chooser. */
  readonly elements: readonly HTMLElement[];
  /** Whether files are on their way into the draft. */
  readonly isReading: boolean;
  close(): void;
}

export function createAttach({ area, field, drafts, onAdd, onProblems }: AttachOptions): Attach {
  const left = new AbortController();
  const { signal } = left;
  const chooser = html("input", { type: "file", multiple: true, hidden: true });
  const button = iconButton({ icon: "attach", name: "Add files", onclick: () => chooser.click() });
  /** One after the other: the bounds are those of the message with all that came before. */
  let adding = Promise.resolve();
  let reading = 0;

  function add(files: readonly File[]): void {
    const { place } = drafts;
    reading += 1;
    adding = adding.then(() => addNow(files, place)).finally(() => (reading -= 1));
  }

  async function addNow(files: readonly File[], place: number): Promise<void> {
    try {
      const { readFiles } = await import("../model/read-files.ts");
      const { problems, ...added } = await readFiles(files, drafts.current);
      if (signal.aborted) return;
      if (place !== drafts.place) return onProblems([elsewhere]);
      onProblems(problems);
      if (added.images.length + added.files.length > 0) onAdd(added);
    } catch {
      onProblems(["A part that this needs could not be loaded. Try it again."]);
    }
  }

  chooser.addEventListener("change", () => {
    add([...(chooser.files ?? [])]);
    chooser.value = "";
  });
  field.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    // Programs that copy text often add a picture of it.
    if (!data || data.files.length === 0 || data.types.includes("text/plain")) return;
    event.preventDefault();
    add([...data.files]);
  });
  function hover(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    area.classList.add("dropping");
  }
  const leave = () => area.classList.remove("dropping");
  area.addEventListener("dragenter", hover, { signal });
  area.addEventListener("dragover", hover, { signal });
  area.addEventListener("dragleave", (event) => !area.contains(event.relatedTarget as Node | null) && leave(), {
    signal,
  });
  area.addEventListener(
    "drop",
    (event) => {
      leave();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      add(files);
    },
    { signal },
  );
  return {
    elements: [button, chooser],
    get isReading() {
      return reading > 0;
    },
    close: () => left.abort(),
  };
}

const elsewhere = "Another conversation was opened before your files were read. Add them again where they belong.";
