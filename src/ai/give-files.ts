// Gives a provider the files of a conversation in the form of its API. Loaded by sends with messages that are not only text.
import type { IAiProvider, AiFile } from "./provider.ts";
import { bytesText, fileLimits, mediaTypeOf, PagewireError } from "../wire/index.ts";
import { fileForms } from "./providers/file-forms.ts";
import type { Ask } from "./run.ts";
import type { AiContentFilePart, AiContentPart, AiMessage, AiRequestOptions } from "./types.ts";

/** Rejects, before anything is sent, where the API cannot be given a file. */
export function givingFiles(ask: Ask, provider: IAiProvider): Ask {
  return async ({ messages, ...asked }) => {
    const give = (message: AiMessage) => giveFiles(message, provider, asked.options);
    return ask({ ...asked, messages: messages.map(give) });
  };
}

function giveFiles(message: AiMessage, provider: IAiProvider, options: AiRequestOptions): AiMessage {
  const { content, from } = message;
  if (typeof content === "string" || content.every(({ type }) => type !== "file")) return message;
  const give = (part: AiContentPart): AiContentPart => {
    if (part.type !== "file") return part;
    const file = readFile(part);
    // An app's text has a form of its own, in which it cannot pass for the user's.
    const wire = from && file.kind === "text" ? undefined : wireOf(file, provider, options);
    if (wire) return { ...part, wire };
    if (file.text !== undefined) return { type: "text", text: textFileOf(file) };
    throw refused(file, "The provider takes no files of this kind: leave it out, or use another provider.");
  };
  return { ...message, content: content.map(give) };
}

function wireOf(file: AiFile, { files }: IAiProvider, options: AiRequestOptions): object | undefined {
  const form = typeof files === "string" ? fileForms[files] : files;
  const wire = form?.(file, options);
  if (typeof wire === "string") throw refused(file, wire);
  return wire;
}

function textFileOf({ name, text }: AiFile): string {
  return `<file name=${JSON.stringify(name)}>\n${text}\n</file>`;
}

function refused({ name }: Pick<AiFile, "name">, why: string): PagewireError {
  return new PagewireError("option-refused", `"${name}" was not sent. ${why}`);
}

/** Throws where the file is of no known type, too large, or not what it says. */
function readFile({ url, mediaType, name = "file" }: AiContentFilePart): AiFile {
  const [head, parameters = ""] = /^data:([^,]*),/i.exec(url) ?? [];
  const { type, kind } = mediaTypeOf(mediaType ?? parameters);
  if (!kind) throw refused({ name }, whyUnknown(type));
  const file = { kind, mediaType: type, name, url };
  if (head === undefined) {
    if (kind !== "text") return file;
    throw refused(file, "A text is sent with its message: fetch it first, and give it as a data: URL.");
  }
  if (!/;base64$/i.test(parameters))
    throw refused(file, "Its data: URL must be in base64: data:<type>;base64,<bytes>.");
  const data = url.slice(head.length);
  if (data === "") throw refused(file, "It is empty.");
  const most = fileLimits.bytes[kind];
  const bytes = Math.floor((data.length * 3) / 4);
  if (bytes > most)
    throw refused(file, `It has ${bytesText(bytes)}, and a file of this kind may have ${bytesText(most)}.`);
  return { ...file, data, text: kind === "text" ? decode(data, name) : undefined };
}

function whyUnknown(type: string): string {
  const what = type === "" ? "It says no media type" : `Its type is ${type}`;
  return `${what}, and a model takes pictures, PDF, audio and text: give its mediaType, or convert it.`;
}

function decode(data: string, name: string): string {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused({ name }, "It is no text in UTF-8: convert it.");
  }
}
