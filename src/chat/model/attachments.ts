// The files that a chat takes, within the bounds of the one table.
import { bytesText, fileLimits, mediaTypeOf } from "../../wire/index.ts";
import { bytesIn } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";

/** Types that some systems do not know, by the end of a file's name. */
const typesByName: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
};

export interface Chosen<File> {
  readonly accepted: readonly File[];
  /** Why the others were not. */
  readonly problems: readonly string[];
}

type Given = Pick<File, "name" | "type" | "size">;

/** Selects the files that can be sent in addition to those that are attached. */
export function acceptFiles<File extends Given>(files: readonly File[], there: Prompt): Chosen<File> {
  const { images, files: attached = [] } = there;
  const accepted: File[] = [];
  const problems: string[] = [];
  let bytes = [...images, ...attached.map(({ url }) => url)].reduce((sum, url) => sum + bytesIn(url), 0);
  for (const file of files) {
    const count = images.length + attached.length + accepted.length;
    const problem = problemWith(file, { count, bytes: bytes + file.size });
    if (problem === undefined) {
      accepted.push(file);
      bytes += file.size;
    } else problems.push(problem);
  }
  return { accepted, problems };
}

function problemWith(file: Given, { count, bytes }: { count: number; bytes: number }): string | undefined {
  const { name, size } = file;
  const { chatFiles, chatBytes } = fileLimits;
  const kind = kindOf(file);
  if (!kind) return wrongType(file);
  if (size === 0) return `"${name}" was left out: it is empty.`;
  if (count >= chatFiles) return `"${name}" was left out: a message takes ${chatFiles} files.`;
  if (kind === "text" && size > fileLimits.bytes.text)
    return `"${name}" was left out: it has ${bytesText(size)}, and a text may have ${bytesText(fileLimits.bytes.text)}.`;
  if (bytes > chatBytes)
    return `"${name}" was left out: the files of a message may have ${bytesText(chatBytes)} together.`;
  return undefined;
}

export function wrongType({ name }: Pick<File, "name">): string {
  return `"${name}" cannot be sent: choose a picture (PNG, JPEG, GIF, WebP), a PDF, audio, or a text of any kind.`;
}

/** Code has all kinds of types, a film's among them: what is of no other kind may be a text, as its bytes will show. */
export function kindOf(file: Pick<Given, "name" | "type">): "picture" | "pdf" | "audio" | "text" | undefined {
  const { type, kind } = mediaTypeOf(knownType(file));
  return kind ?? (/^(image|audio|font)\//.test(type) ? undefined : "text");
}

/** The media type that is sent. */
export function typeOf(file: Pick<Given, "name" | "type">): string {
  const type = knownType(file);
  return kindOf(file) === "text" && mediaTypeOf(type).kind !== "text" ? "text/plain" : type;
}

function knownType({ name, type }: Pick<Given, "name" | "type">): string {
  const given = mediaTypeOf(type);
  const isVague = given.kind === undefined || given.type === "text/plain";
  return (isVague ? typesByName[name.split(".").at(-1)?.toLowerCase() ?? ""] : undefined) ?? given.type;
}
