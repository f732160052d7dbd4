// A program that cannot be run here, as its documentation and its users' logs describe it. What is not known is left out.
import type { JsonBody } from "../model/model-format.ts";

/** The surroundings in which a program reads its file and starts a server. */
export interface Desk {
  readonly home: string;
  readonly project: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The words that its user types when it asks for an input. */
  readonly inputs: Readonly<Record<string, string>>;
}

export interface DocumentedClient {
  /** Its name for `pagewire connect`. */
  readonly id: string;
  readonly title: string;
  /** The sources of this description, and what none of them says. */
  readonly sources: string;
  readonly unknown: string;
  /** Its first request. */
  readonly hello: {
    readonly protocolVersion: string;
    readonly capabilities: JsonBody;
    readonly clientInfo: { readonly name: string; readonly version: string };
  };
  /** The section of its file that names servers. */
  readonly section: string;
  /** Fills in what it fills in of an entry. */
  expand(text: string, desk: Desk): string;
  /** The folder in which it starts a server. */
  folder(desk: Desk): string;
  /** Lists that it asks for beside tools, whether or not a server says that it has them. */
  readonly alsoLists: readonly string[];
  /** Whether it asks for further pages of a list. */
  readonly readsAllPages: boolean;
  /** Its answer to a request for its roots. */
  readonly roots?: readonly object[] | "method not found";
  /** The names of tools that it leaves out of a list. */
  uses(server: string, tools: readonly string[]): readonly string[];
  /** Whether it takes an address in its file. */
  readonly takesAddress: boolean;
}

/** `${env:NAME}` and `${workspaceFolder}`, as editors fill them in. */
export function expandEditorVariables(text: string, { home, project, variables }: Desk): string {
  return text
    .replaceAll(/\$\{env:(\w+)\}/g, (_, name: string) => variables[name] ?? "")
    .replaceAll("${workspaceFolder}", project)
    .replaceAll("${userHome}", home);
}
