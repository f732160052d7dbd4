import { PagewireError, messageOf } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import { defineCommand, commonOptions, usageError } from "../common/command.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import type { Io } from "../common/io.ts";
import { readAll } from "../common/read-arguments.ts";
import { openDelegate } from "../terminal-identity/open-delegate.ts";
import { findTmuxSession } from "../terminal-identity/tmux.ts";
import type { TmuxSession } from "../terminal-identity/tmux.ts";

const ESCAPE = "\u001b";
const BELL = "\u0007";

/** Asks the terminal to copy text to the clipboard of the machine that displays it; false if there is no terminal. */
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

/** tmux 3.2 and later can ask the terminal of a client. */
async function copyByClient({ ask }: TmuxSession, client: string, text: string): Promise<boolean> {
  return (await ask(["load-buffer", "-w", "-t", client, "-"], text)) !== undefined;
}

/** The passthrough of older tmux versions, which works if the user allows it. */
function passedThrough(sequence: string): string {
  return `${ESCAPE}Ptmux;${sequence.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${ESCAPE}\\`;
}

export const copyToClipboard = defineCommand({
  name: "copy-to-clipboard",
  summary: "Put text into the clipboard of the user who sees this terminal.",
  usage: "[text]",
  positionals: { min: 0, max: 1 },
  options: commonOptions,
  notes: [
    "The text is the argument, or the input on stdin. The tab that shows the terminal is asked first; if none answers within five seconds, the terminal itself is asked, which may not support it (OSC 52). A refusal by the user of the tab is final.",
  ],
  examples: [`pagewire copy-to-clipboard "$PWD"`, "git log -1 --format=%H | pagewire copy-to-clipboard"],
  async run({ io, printer, positionals: [given] }) {
    const { signal, stop } = createInterrupts(io);
    try {
      const text = given ?? (await unlessAborted(readAll(io.stdin), signal));
      if (text === "") throw usageError("There is nothing to copy. Write: npx pagewire copy-to-clipboard <text>");
      const by = await copy(io, text, signal);
      if (printer.json) printer.data({ copied: true, by });
      return 0;
    } finally {
      stop();
    }
  },
});

const tabTime = 5000;

/** After these errors a fallback would override a decision. */
const final: readonly ErrorCode[] = ["action-refused", "cancelled"];

async function copy(io: Io, text: string, signal: AbortSignal): Promise<"tab" | "terminal"> {
  try {
    const tab = await openDelegate(io);
    await tab.call("clipboard_write", { text }, { signal, timeout: tabTime });
    return "tab";
  } catch (error) {
    if (!PagewireError.isInstance(error) || final.includes(error.code)) throw error;
    if (await copyByTerminal(io, text)) return "terminal";
    const message = `The text was not copied. ${messageOf(error)} And there is no terminal that could be asked instead.`;
    throw new PagewireError(error.code, message, { cause: error });
  }
}
