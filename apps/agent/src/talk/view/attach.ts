// The ways in for pictures: pasted, dropped, or chosen.
import { html } from "../../../../common/src/dom.ts";
import { acceptPictures, pictureTypes } from "../state/accept-pictures.ts";
import { iconButton } from "./icon-button.ts";
import { readDataUrl } from "./read-data-url.ts";

export interface AttachOptions {
  /** What files are dropped on. */
  readonly area: HTMLElement;
  readonly field: HTMLElement;
  readonly images: () => readonly string[];
  readonly onImages: (images: readonly string[]) => void;
  readonly onProblems: (problems: readonly string[]) => void;
}

export interface Attach {
  /** The button, and what opens the system's chooser. */
  readonly elements: readonly HTMLElement[];
  close(): void;
}

export function createAttach({ area, field, images, onImages, onProblems }: AttachOptions): Attach {
  const left = new AbortController();
  const { signal } = left;
  const chooser = html("input", { type: "file", accept: pictureTypes.join(","), multiple: true, hidden: true });
  const button = iconButton({ icon: "attach", name: "Add pictures", onclick: () => chooser.click() });

  async function add(files: readonly File[]): Promise<void> {
    const { accepted, problems } = acceptPictures(files, images());
    const read = await Promise.allSettled(accepted.map(readDataUrl));
    if (signal.aborted) return;
    const urls = read.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const unread = read.flatMap(({ status }, at) =>
      status === "rejected" ? [`"${accepted[at]?.name}" could not be read. Choose it again.`] : [],
    );
    onProblems([...problems, ...unread]);
    if (urls.length > 0) onImages([...images(), ...urls]);
  }

  chooser.addEventListener("change", () => {
    void add([...(chooser.files ?? [])]);
    chooser.value = "";
  });
  field.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    // Programs that copy text put a picture of it beside it.
    if (!data || data.files.length === 0 || data.types.includes("text/plain")) return;
    event.preventDefault();
    void add([...data.files]);
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
      void add(files);
    },
    { signal },
  );
  return { elements: [button, chooser], close: () => left.abort() };
}
