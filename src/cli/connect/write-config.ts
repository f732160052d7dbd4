// Puts a server into a client's own file, or says what would be put there.
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../command.ts";
import type { ClientDefinition } from "./clients/client.ts";
import { readConfigFile, realFileIn, replaceConfigFile } from "./config/config-file.ts";
import { isSameServer } from "./config/config-format.ts";
import type { Bounded } from "./config/config-file.ts";
import { ConfigSyntaxError } from "./config/config-syntax-error.ts";

/** What is to be written where. */
export interface WriteOrder {
  readonly client: ClientDefinition;
  readonly file: Bounded;
  readonly name: string;
  readonly entry: JsonObject;
  /** Whether to look only. */
  readonly isDry: boolean;
}

/** What came of it: the file is new, or has the server now, or had another one of this name, or had this one before. */
export type WriteResult = "created" | "added" | "replaced" | "unchanged";

export interface Written {
  readonly result: WriteResult;
  /** The file itself, wherever links have led to it. */
  readonly path: string;
}

/** Writes a server's entry, and nothing if it is there already. A file that cannot be read is left as it is. */
export async function writeConfig({ client, file, name, entry, isDry }: WriteOrder): Promise<Written> {
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
