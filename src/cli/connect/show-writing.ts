import type { ExitCode } from "../exit-codes.ts";
import type { Bounded } from "./config/config-file.ts";
import type { Printer } from "../console/printer.ts";
import { plainText } from "../console/plain-text.ts";
import { wrap } from "../console/wrap.ts";
import type { ClientDefinition } from "./clients/client.ts";
import type { ConnectionWithNotes } from "./connection.ts";
import { writeConfig } from "./write-config.ts";
import type { WriteResult } from "./write-config.ts";

/** Whose file to write, or to look at only. */
export interface Writing {
  readonly client: ClientDefinition;
  /** Where it is, and the folder that it must not leave. */
  readonly file: Bounded;
  readonly isDry: boolean;
}

/** Writes a client's file and says what came of it, and how to see that it works. */
export async function showWriting(
  { client, file, isDry }: Writing,
  { connection, notes }: ConnectionWithNotes,
  printer: Printer,
): Promise<ExitCode> {
  const { name, stdio } = connection;
  const { id, format, restart } = client;
  const entry = client.stdioEntry(stdio);
  const { result, path } = await writeConfig({ client, file, name, entry, isDry });
  const check = client.check(name);
  if (printer.json) {
    printer.data({ client: id, name, path, result, isDry, entry, restart, check, notes });
    return 0;
  }
  const show = (text: string) => {
    for (const line of wrap(text, LINE_WIDTH)) printer.line(line);
  };
  show(plainText(sentences[result](name, path, isDry)));
  if (result !== "unchanged") for (const line of format.snippet(name, entry).split("\n")) printer.line(`    ${line}`);
  if (result !== "unchanged") for (const note of notes) show(`Note: ${note}`);
  if (isDry) return 0;
  if (result !== "unchanged") show(restart);
  for (const line of check) show(line);
  return 0;
}

const sentences: Readonly<Record<WriteResult, (name: string, path: string, isDry: boolean) => string>> = {
  created: (name, path, isDry) => `${path} ${isDry ? "would be made" : "was made"}, with ${name} in it:`,
  added: (name, path, isDry) =>
    `${name} ${isDry ? "would be" : "was"} added to ${path}; the rest of it stays as it is:`,
  replaced: (name, path, isDry) =>
    `${name} ${isDry ? "would replace" : "replaced"} another entry of that name in ${path}; the rest of it stays as it is:`,
  unchanged: (name, path) => `${path} names ${name} already, just so. Nothing was changed.`,
};

/** Help is read, and copied, on terminals of any width; this fits nearly all. */
const LINE_WIDTH = 80;
