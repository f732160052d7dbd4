import { PagewireError } from "../../wire/index.ts";
import { canAsk } from "../console/ask-user.ts";
import { askShells } from "./ask-shells.ts";
import type { Managing } from "./ask-shells.ts";
import { createInterface } from "node:readline";
import type { Io } from "../common/io.ts";

/** Whether the hub runs without terminals, and the shell key can switch them on. */
export async function areTerminalsOff(managing: Managing): Promise<boolean> {
  try {
    return !(await askShells(managing, "GET")).isOn;
  } catch {
    // The reason why there are none is the caller's to explain: an older hub, or one that is not of this machine alone.
    return false;
  }
}

/** Switches terminals on, once the person at this machine agrees; rejects if they do not, or cannot be asked. */
export async function switchOnTerminals(managing: Managing, isAgreed: boolean): Promise<void> {
  const { printer, url } = managing;
  if (!isAgreed) await requireYes(managing);
  await askShells(managing, "POST");
  if (!printer.json) printer.note(`Terminals are on at ${url} now, until that hub stops.`);
}

async function requireYes({ io, printer, url }: Managing): Promise<void> {
  const off = `The hub at ${url} runs without terminals.`;
  if (printer.json || !canAsk(io))
    throw new PagewireError(
      "terminal-unavailable",
      `${off} Each would be a shell of yours. Switch them on, until that hub stops, with: npx pagewire terminal --yes`,
    );
  const question = `${off} Each is a shell of yours, shown in your browser. Switch them on? [y/N] `;
  if (!(await askYesNo(io, question))) throw new PagewireError("terminal-unavailable", "Terminals stay off.");
}

/** Asks a question on the terminal. Only "y" and "yes" mean yes; Ctrl-C and the end of the input mean no. */
function askYesNo({ stdin, stderr }: Pick<Io, "stdin" | "stderr">, question: string): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: stderr, terminal: true });
  return new Promise((resolve) => {
    terminal.once("close", () => resolve(false));
    terminal.question(question, (answer) => {
      resolve(/^\s*y(es)?\s*$/i.test(answer));
      terminal.close();
    });
  });
}
