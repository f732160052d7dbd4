// The ways in for pictures: pasted, dropped, or chosen.
import { html } from "../../../../common/src/dom.ts";
import { iconButton } from "./icon-button.ts";

/** Image types that models accept. */
const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const mostPictures = 8;
/** Max total size of a message's `data:` URLs: a hub accepts prompts of 8 MB. */
const mostBytes = 7_000_000;

interface Chosen {
  readonly accepted: readonly File[];
  /** Why the others were not. */
  readonly problems: readonly string[];
}

/** Selects the files that can be sent as pictures in addition to those already attached. */
export function acceptPictures(files: readonly File[], there: readonly string[]): Chosen {
  const accepted: File[] = [];
  const problems: string[] = [];
  let bytes = there.reduce((sum, url) => sum + url.length, 0);
  for (const file of files) {
    const size = Math.ceil(file.size / 3) * 4;
    const problem = problemWith(file, { count: there.length + accepted.length, bytes: bytes + size });
    if (problem === undefined) {
      accepted.push(file);
      bytes += size;
    } else problems.push(problem);
  }
  return { accepted, problems };
}

function problemWith({ name, type }: File, { count, bytes }: { count: number; bytes: number }): string | undefined {
  if (!pictureTypes.includes(type)) return `"${name}" cannot be sent: choose a PNG, JPEG, GIF or WebP picture.`;
  if (count >= mostPictures) return `"${name}" was left out: a message takes ${mostPictures} pictures.`;
  if (bytes > mostBytes) return `"${name}" was left out: the pictures of a message may have 5 MB together.`;
  return undefined;
}

export interface AttachOptions {
  /** The drop target for files. */
  readonly area: HTMLElement;
  readonly field: HTMLElement;
  readonly images: () => readonly string[];
  readonly onImages: (images: readonly string[]) => void;
  readonly onProblems: (problems: readonly string[]) => void;
}

export interface Attach {
  /** The button, and the input that opens the system's file chooser. */
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
    // Programs that copy text often add a picture of it.
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

/** Reads a file as a `data:` URL. Rejects where it cannot be read any more. */
function readDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The file could not be read.")));
    reader.readAsDataURL(file);
  });
}
