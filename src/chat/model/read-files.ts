// Reads what was pasted, dropped or chosen. Loaded when there is some.
import { acceptFiles, kindOf, typeOf, wrongType } from "./attachments.ts";
import type { Prompt, PromptFile } from "./prompt.ts";

export interface Attached {
  readonly images: readonly string[];
  readonly files: readonly PromptFile[];
}

/** The files that a draft takes in addition to what it has, and why the others are left out. */
export async function readFiles(
  files: readonly File[],
  draft: Prompt,
): Promise<Attached & { readonly problems: readonly string[] }> {
  const { accepted, problems } = acceptFiles(files, draft);
  const read = await Promise.all(accepted.map(readFile));
  const added = read.filter((one) => typeof one !== "string");
  return {
    images: added.filter(({ isPicture }) => isPicture).map(({ url }) => url),
    files: added.filter(({ isPicture }) => !isPicture).map(({ name, url }) => ({ name, url })),
    problems: [...problems, ...read.filter((one) => typeof one === "string")],
  };
}

interface ReadFile {
  readonly name: string;
  readonly url: string;
  readonly isPicture: boolean;
}

/** Resolves with the problem where it cannot be read, or is not what it seemed to be. */
async function readFile(file: File): Promise<ReadFile | string> {
  const { name } = file;
  const kind = kindOf(file);
  try {
    const url = await readDataUrl(file);
    if (kind === "text" && !isText(await file.arrayBuffer())) return wrongType(file);
    return { name, url: `data:${typeOf(file)}${url.slice(url.indexOf(";base64,"))}`, isPicture: kind === "picture" };
  } catch {
    return `"${name}" could not be read. Choose it again.`;
  }
}

/** Text in UTF-8, without the control characters of other formats. */
function isText(bytes: ArrayBuffer): boolean {
  try {
    // oxlint-disable-next-line no-control-regex -- what other formats have
    return !/[\0-\x08\x0e-\x1a]/.test(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}

function readDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The file could not be read.")));
    reader.readAsDataURL(file);
  });
}
