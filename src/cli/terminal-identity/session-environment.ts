import type { TmuxSession } from "./tmux.ts";

/** Variables by name; null is one that was taken away, which is more than one that is not there. */
export type SessionVariables = Readonly<Record<string, string | null>>;

/** What the environment of this session says, and of no other. A session can be asked whether a client shows it or not. */
export async function readSession({ ask, target }: TmuxSession): Promise<SessionVariables> {
  return parseVariables((await ask(["show-environment", "-t", target])) ?? "");
}

/** What the whole server was started with: it belongs to no session in particular. */
export async function readServer({ ask }: TmuxSession): Promise<SessionVariables> {
  return parseVariables((await ask(["show-environment", "-g"])) ?? "");
}

/** Writes variables into the environment of this session; returns whether tmux took them. */
export async function writeSession(
  { ask, target }: TmuxSession,
  variables: Readonly<Record<string, string>>,
): Promise<boolean> {
  const commands = Object.entries(variables).map(
    ([name, value]) => `set-environment -t ${quote(target)} ${name} ${quote(value)}`,
  );
  // By its input: what a command is given as words, everybody on the machine can read.
  return (await ask(["source-file", "-"], `${commands.join("\n")}\n`)) !== undefined;
}

function parseVariables(text: string): SessionVariables {
  const variables: Record<string, string | null> = {};
  for (const line of text.split("\n")) {
    const [, removed, name, value] = /^(?:-([A-Z_]+)|([A-Z_]+)=(.*))$/.exec(line) ?? [];
    if (removed !== undefined) variables[removed] = null;
    if (name !== undefined && value !== undefined) variables[name] = value;
  }
  return variables;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
