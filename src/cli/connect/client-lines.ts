import type { State } from "../../state/index.ts";
import type { Io } from "../io.ts";
import { clientTable } from "./clients/client-table.ts";
import type { ClientDefinition } from "./clients/client.ts";
import { connectionFor } from "./connection.ts";
import { commandLine } from "./shell-words.ts";

/**
 * What to paste, by the client's id, so that a client reaches the hub of this state directory from any folder of this
 * machine: the first line of `connect <client> --user`, and as `other` the program alone. No line holds the token.
 */
export function clientLines(io: Io, state: State): Readonly<Record<string, string>> {
  const { PAGEWIRE_URL: _url, PAGEWIRE_TOKEN: _token, ...environment } = io.environment;
  const own = { ...io, environment };
  const connectionOf = (client: ClientDefinition) => {
    const place = { ...own, project: "." };
    const path = client.configPath("user", place) ?? "";
    const writeWords = ["connect", client.id, "--write", "--user"];
    const choices = { scope: "user", path, project: ".", name: "pagewire", writeWords, state } as const;
    return connectionFor(client, { ...choices, tab: undefined, hub: undefined, isAbsolute: false }, own).connection;
  };
  const lines = clientTable.flatMap((client) => {
    const code = client.stdioSteps(connectionOf(client)).find((step) => step.code !== undefined)?.code;
    return code === undefined ? [] : [[client.id, code] as const];
  });
  const [first] = clientTable;
  const program = first && connectionOf(first).stdio;
  const other = program && commandLine([program.command, ...program.args], program.env, io.platform);
  return Object.fromEntries([...lines, ...(other === undefined ? [] : [["other", other] as const])]);
}
