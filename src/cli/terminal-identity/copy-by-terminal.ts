import type { Io } from "../io.ts";
import { findTmuxSession } from "./tmux.ts";
import type { TmuxSession } from "./tmux.ts";

const ESCAPE = "\u001b";
const BELL = "\u0007";

/** Asks the terminal itself to put text into the clipboard of the machine it is shown on; false where there is none to ask. */
export async function copyByTerminal(io: Io, text: string): Promise<boolean> {
  const sequence = `${ESCAPE}]52;c;${Buffer.from(text).toString("base64")}${BELL}`;
  const tmux = findTmuxSession(io.environment);
  if (tmux === undefined) return io.writeToTerminal(sequence);
  const clients = (await tmux.ask(["list-clients", "-t", tmux.target, "-F", "#{client_name}"])) ?? "";
  const taken = await Promise.all(
    clients
      .split("\n")
      .filter((client) => client !== "")
      .map((client) => copyByClient(tmux, client, text)),
  );
  if (taken.length === 0) return false;
  return taken.includes(true) || io.writeToTerminal(passedThrough(sequence));
}

/** tmux 3.2 and later know how to ask the terminal that a client is shown in. */
async function copyByClient({ ask }: TmuxSession, client: string, text: string): Promise<boolean> {
  return (await ask(["load-buffer", "-w", "-t", client, "-"], text)) !== undefined;
}

/** As an older tmux hands it on to the terminal, where its user allows that. */
function passedThrough(sequence: string): string {
  return `${ESCAPE}Ptmux;${sequence.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${ESCAPE}\\`;
}
