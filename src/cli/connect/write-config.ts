// Writes a server into a client's own file, or shows the result of a dry run.
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";
import type { ClientDefinition } from "./clients/client.ts";
import { readConfigFile, realFileIn, replaceConfigFile } from "./config/config-file.ts";
import type { Bounded } from "./config/config-file.ts";
import { isSameServer } from "./config/config-format.ts";
import { ConfigSyntaxError } from "./config/config-syntax-error.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import type { Printer } from "../common/printer.ts";
import { plainText } from "../common/plain-text.ts";
import { wrap } from "../console/layout.ts";
import type { ConnectionWithNotes } from "./connection.ts";

interface Writing {
  readonly client: ClientDefinition;
  /** The file, and the folder that it must not leave. */
  readonly file: Bounded;
  /** Whether to write nothing, and only return the result. */
  readonly isDry: boolean;
}

/** Writes a client's file and prints the result, and how to check it. */
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
    for (const line of wrap(text, lineWidth)) printer.line(line);
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
const lineWidth = 80;

interface EntryWriting extends Writing {
  readonly name: string;
  readonly entry: JsonObject;
}

/** "created": a new file. "replaced": another entry of this name. "unchanged": the same entry was there. */
type WriteResult = "created" | "added" | "replaced" | "unchanged";

interface Written {
  readonly result: WriteResult;
  /** The file itself, wherever links have led to it. */
  readonly path: string;
}

/** Writes a server's entry, and nothing if it is there already. A file that cannot be read is left as it is. */
async function writeConfig({ client, file, name, entry, isDry }: EntryWriting): Promise<Written> {
  const { format } = client;
  const path = realFileIn(file);
  const before = readConfigFile(path);
  try {
    const old = (await format.servers(before ?? ""))[name];
    if (isSameServer(old, entry)) return { result: "unchanged", path };
    const after = await format.withServer(before ?? "", name, entry);
    if (!isDry) replaceConfigFile(path, before, after);
    if (before === undefined) return { result: "created", path };
    return { result: old === undefined ? "added" : "replaced", path };
  } catch (error) {
    if (!(error instanceof ConfigSyntaxError)) throw error;
    const message = `The file ${path} cannot be changed safely: ${error.message}. It was left as it is.`;
    throw usageError(`${message} Put it right, or put this into it by hand:\n${format.snippet(name, entry)}`);
  }
}
