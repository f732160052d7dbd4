// The pictures and files that will be sent, each with a button that takes it out.
import { bytesText, showInvisible } from "../../wire/index.ts";
import { html, icon, show } from "../dom/dom.ts";
import { bytesIn } from "../model/prompt.ts";
import type { Prompt, PromptFile } from "../model/prompt.ts";
import { iconButton } from "./icon-button.ts";
import { icons } from "./icons.ts";

export interface Attachments {
  readonly element: HTMLElement;
  draw(prompt: Prompt): void;
}

export function createAttachments(onChange: (changes: Partial<Pick<Prompt, "images" | "files">>) => void): Attachments {
  const element = html("ul", { class: "thumbnails", "aria-label": "Files to send", hidden: true });
  return {
    element,
    draw({ images, files = [] }) {
      const without = <Item>(list: readonly Item[], at: number) => list.filter((_, index) => index !== at);
      show(
        element,
        ...images.map((url, at) => picture(url, at, () => onChange({ images: without(images, at) }))),
        ...files.map((file, at) => chip(file, () => onChange({ files: without(files, at) }))),
      );
      element.hidden = images.length + files.length === 0;
    },
  };
}

function picture(url: string, at: number, onclick: () => void): HTMLElement {
  const remove = iconButton({ icon: "close", name: `Remove picture ${at + 1}`, onclick });
  return html("li", {}, html("img", { src: url, alt: `Picture ${at + 1}` }), remove);
}

function chip(file: PromptFile, onclick: () => void): HTMLElement {
  const remove = iconButton({ icon: "close", name: `Remove ${showInvisible(file.name)}`, onclick });
  return html("li", { class: "file-chip" }, ...fileWords(file), remove);
}

/** A file by its name and size. */
export function fileWords(file: PromptFile): Node[] {
  const isHere = file.url.startsWith("data:");
  return [
    icon(icons.file),
    html("span", { class: "file-name" }, showInvisible(file.name)),
    html("span", { class: "file-size" }, isHere ? bytesText(bytesIn(file.url)) : showInvisible(file.url)),
  ];
}
