import type { JsonObject } from "../../../wire/index.ts";
import type { Io } from "../../common/io.ts";
import type { ConfigFormat } from "../config/config-format.ts";

/** Whose a configuration is: everybody's who works on a project, or the user's own for all projects. */
export type Scope = "project" | "user";

/** The inputs for finding a client's files. */
export type Place = Pick<Io, "environment" | "platform" | "homeDirectory"> & { readonly project: string };

/** A program that a client starts and talks to. */
export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the program needs and that are not written down, because they hold secrets. */
  readonly forwards: readonly string[];
}

export interface Connection {
  readonly name: string;
  readonly scope: Scope;
  /** The file that the client reads for this scope. */
  readonly path: string;
  /** How to start Pagewire for this scope. */
  readonly stdio: StdioServer;
  /** The same as it works in every project. */
  readonly stdioAnywhere: StdioServer;
  /** The MCP endpoint. */
  readonly url: string;
  /** The secret that the endpoint asks for, or what stands for one that is not known here. */
  token(): string;
  /** Whether what `token` returns is a secret. */
  readonly isTokenKnown: boolean;
  /** The command line that writes the configuration. */
  readonly writeCommand: string;
  readonly platform: string;
}

/** One thing to do, with what to type or to put into a file. */
export interface Step {
  readonly text: string;
  readonly code?: string;
  /** The code holds the token. */
  readonly isSecret?: boolean;
}

/** A client leaves out tools beyond these, without a word to the server. */
export interface ClientLimits {
  /** The length of a server's and a tool's name together that is too long. */
  readonly name?: number;
  /** Tools of all servers. */
  readonly tools: number;
}

/** An MCP client that can be connected to a hub. */
export interface ClientDefinition {
  readonly id: string;
  readonly title: string;
  /** How the names begin, in lower case, by which it introduces itself to a server. */
  readonly names: readonly string[];
  /** The places of its configuration, in one line. */
  readonly summary: string;
  readonly format: ConfigFormat;
  readonly defaultScope: Scope;
  /** Its file for a scope; undefined where it has none. */
  configPath(scope: Scope, place: Place): string | undefined;
  /** Servers that a file names elsewhere than in its one section. */
  otherServers?(file: JsonObject, place: Place): JsonObject;
  /** Whether npx has to be started through cmd on Windows. */
  readonly needsCmd: boolean;
  /** Whether it is started from a menu and finds no program but by its full path. */
  readonly needsPath?: boolean;
  /** How much of a server it uses, where its documentation or its own messages say so. */
  readonly limits?: ClientLimits;
  /** Names of servers that it keeps for itself. */
  readonly reservedNames?: readonly string[];
  stdioEntry(server: StdioServer): JsonObject;
  /** An entry of its file with the fields that most clients have; missing where it has those. */
  commonEntry?(entry: JsonObject): JsonObject;
  stdioSteps(connection: Connection): readonly Step[];
  httpSteps(connection: Connection): readonly Step[];
  /** The step after writing a configuration. */
  readonly restart: string;
  /** How to see that it works. */
  check(name: string): readonly string[];
}

/** The variable that holds the token where a client can take it from its environment. */
export const tokenVariable = "PAGEWIRE_TOKEN";

/** How to set that variable in a shell. */
export function exportToken({ platform, stdio }: Connection): string {
  if (stdio.forwards.includes(tokenVariable)) {
    return platform === "win32"
      ? `set ${tokenVariable}=<that hub's token>`
      : `export ${tokenVariable}="<that hub's token>"`;
  }
  return platform === "win32"
    ? `for /f %t in ('npx pagewire token show') do set ${tokenVariable}=%t`
    : `export ${tokenVariable}="$(npx pagewire token show)"`;
}

/** An entry as most clients write it; an empty environment is left out. */
export function commonStdioEntry({ command, args, env }: StdioServer): JsonObject {
  return { type: "stdio", command, args: [...args], ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** The steps that work with every client: write its file, or edit it by hand. */
export function fileSteps(connection: Connection, snippet: string): readonly Step[] {
  return [
    { text: `Let this write ${connection.path}:`, code: connection.writeCommand },
    { text: "Or put this into it yourself:", code: snippet },
  ];
}

/** Variables as the options of a command line: `--env NAME=value`. */
export function envOptions({ env }: StdioServer): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
}
