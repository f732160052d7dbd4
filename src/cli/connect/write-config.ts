// Puts a server into a client's own file, or says what would be put there.
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../command.ts";
import type { ClientDefinition } from "./clients/client.ts";
import { readConfigFile, replaceConfigFile } from "./config/config-file.ts";
import { isSameServer } from "./config/config-format.ts";
import { ConfigSyntaxError } from "./config/scanner.ts";

/** What is to be written where. */
export interface WriteOrder {
  readonly client: ClientDefinition;
  readonly path: string;
  readonly name: string;
  readonly entry: JsonObject;
  /** Whether to look only. */
  readonly isDry: boolean;
}

/** What came of it: the file is new, or has the server now, or had another one of this name, or had this one before. */
export type WriteResult = "created" | "added" | "replaced" | "unchanged";

/** Writes a server's entry, and nothing if it is there already. A file that cannot be read is left as it is. */
export function writeConfig({ client, path, name, entry, isDry }: WriteOrder): WriteResult {
  const { format } = client;
  const before = readConfigFile(path);
  try {
    const old = format.servers(before ?? "")[name];
    if (isSameServer(old, entry)) return "unchanged";
    const after = format.withServer(before ?? "", name, entry);
    if (!isDry) replaceConfigFile(path, before, after);
    if (before === undefined) return "created";
    return old === undefined ? "added" : "replaced";
  } catch (error) {
    if (!(error instanceof ConfigSyntaxError)) throw error;
    const message = `The file ${path} cannot be changed safely: ${error.message}. It was left as it is.`;
    throw usageError(`${message} Put it right, or put this into it by hand:\n${format.snippet(name, entry)}`);
  }
}
