// A file of JSON lines that only grows. A process that is killed in the middle of a line leaves a part of it behind,
// which is cut off before anything else is done with the file.
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { PagewireError, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

const newline = 10;
const deepest = 128;
const firstRead = 4096;

/** Hears of what was left out, in words for the hub's owner. */
export type OnProblem = (message: string) => void;

/** All lines; undefined where there is no file. */
export async function readLines(path: string, onProblem: OnProblem): Promise<readonly JsonObject[] | undefined> {
  const bytes = await withFile(path, "r+", (file) => soundBytes(file, path, onProblem));
  return bytes
    ?.toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line, at) => parseJsonObject(line, deepest) ?? damaged(path, at + 1));
}

/** The first line alone, however long the file is; undefined where there is none that can be read. */
export async function readFirstLine(path: string): Promise<JsonObject | undefined> {
  const line = await withFile(path, "r", async (file) => {
    const bytes = Buffer.alloc(firstRead);
    let text = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, firstRead, text.length);
      if (bytesRead === 0) return undefined;
      text = Buffer.concat([text, bytes.subarray(0, bytesRead)]);
      const end = text.indexOf(newline);
      if (end >= 0) return text.toString("utf8", 0, end);
    }
  });
  return line === undefined ? undefined : parseJsonObject(line, deepest);
}

/** Adds lines, to a new file where there is none. */
export async function addLines(path: string, lines: readonly JsonObject[], onProblem: OnProblem): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await withFile(path, "a+", async (file) => {
    await endLine(file, path, onProblem);
    await file.appendFile(text);
  });
}

async function withFile<Value>(
  path: string,
  flags: "r" | "r+" | "a+",
  work: (file: FileHandle) => Promise<Value>,
): Promise<Value | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, flags, 0o600);
  } catch (error) {
    if (flags !== "a+" && error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Makes sure that what is added begins a line of its own. */
async function endLine(file: FileHandle, path: string, onProblem: OnProblem): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer[0] !== newline) await soundBytes(file, path, onProblem);
}

/** What a file holds, up to the end of its last whole line; the rest of the file is cut off. */
async function soundBytes(file: FileHandle, path: string, onProblem: OnProblem): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size);
  await file.read(bytes, 0, size, 0);
  const end = bytes.lastIndexOf(newline) + 1;
  if (end < size) {
    await file.truncate(end);
    onProblem(`The last line of ${path} was not written to its end, and is left out.`);
  }
  return bytes.subarray(0, end);
}

export function damaged(path: string, line: number): never {
  throw new PagewireError("store-damaged", `Line ${line} of ${path} cannot be read. Mend it, or delete the file.`);
}
