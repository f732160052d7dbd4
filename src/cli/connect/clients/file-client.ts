// A client that is connected by an entry in a JSON file of its own, and by no command.
import type { JsonObject } from "../../../wire/index.ts";
import { jsonFormat } from "../config/config-format.ts";
import { commonStdioEntry, exportToken, fileSteps } from "./client.ts";
import type { ClientDefinition } from "./client.ts";

interface FileClient extends Omit<ClientDefinition, "format" | "stdioEntry" | "stdioSteps" | "httpSteps"> {
  /** The property of the file that holds the servers. */
  readonly section: string;
  readonly stdioEntry?: ClientDefinition["stdioEntry"];
  /** Its entry for an address; missing where its file takes none, or no variable for the token. */
  readonly httpEntry?: (url: string) => JsonObject;
  /** A program that is started in a shell, which hands the token on. */
  readonly command?: string;
}

export function fileClient({
  section,
  stdioEntry = commonStdioEntry,
  httpEntry,
  command,
  ...client
}: FileClient): ClientDefinition {
  const format = jsonFormat(section);
  return {
    ...client,
    format,
    stdioEntry,
    stdioSteps: (connection) => fileSteps(connection, format.snippet(connection.name, stdioEntry(connection.stdio))),
    httpSteps: (connection) =>
      httpEntry
        ? [
            {
              text: "Put this into the same file. The token is taken from the environment:",
              code: format.snippet(connection.name, httpEntry(connection.url)),
            },
            {
              text: `Then the shell that starts ${command ?? client.title} needs:`,
              code: exportToken(connection),
            },
          ]
        : [],
  };
}
