// A terminal as its user sees it: a keyboard, a screen, and files in the home of its shell.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Tab } from "./tab.ts";
import { waitUntil } from "./wait.ts";

/** The output and the exit code of commands. */
export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Commands that run in a terminal, regardless of the tab that shows it. */
export interface Running {
  /** Their output so far. */
  output(): Promise<string>;
  ended(): Promise<Ran>;
}

export interface ShownTerminal {
  readonly tab: Tab;
  /** Waits until the shell has answered. */
  ready(): Promise<void>;
  /** Types a line, and presses Enter. */
  type(line: string): Promise<void>;
  /** Starts commands in the shell. */
  start(commands: string): Promise<Running>;
  /** Runs commands in the shell, and waits for their end. */
  run(commands: string): Promise<Ran>;
  /** The screen's text, line by line. */
  screen(): Promise<string>;
  /** Waits until the screen shows this text. */
  shows(text: string): Promise<void>;
  /** The variables of the shell's environment that start with this prefix. */
  environment(prefix: string): Promise<Readonly<Record<string, string>>>;
}

const rows = "document.querySelector('pagewire-terminal')?.shadowRoot.querySelector('.xterm-rows')";
const screenText = `[...(${rows}?.children ?? [])].map((row) => row.textContent.replaceAll("\\u00a0", " ").trimEnd()).join("\\n")`;

const hasFocus = "document.hasFocus() && document.activeElement?.shadowRoot?.activeElement?.tagName === 'TEXTAREA'";

/** The states of the page and, in the apps of the tests, of the view in their variable. */
const statesText = "JSON.stringify([globalThis.pagewire?.state, globalThis.view?.state, document.visibilityState])";

export function createShownTerminal(tab: Tab, home: string): ShownTerminal {
  const screen = (): Promise<string> => tab.evaluate(screenText);

  async function type(line: string): Promise<void> {
    // Keyboard input needs the tab in front.
    await tab.activate();
    // For tmux two clicks at once are a double click: it selects a word, and takes what is typed meanwhile.
    if (!(await tab.evaluate(hasFocus))) await tab.click("pagewire-terminal >>> .xterm-screen");
    await tab.send("Input.insertText", { text: line });
    await tab.press("Enter");
  }

  /** Adds the screen's text and the states to an error, if the tab is still open. */
  async function explain(error: Error): Promise<never> {
    const shown = await screen().catch(() => "The tab is closed.");
    const states = await tab.evaluate<string>(statesText).catch(String);
    throw new Error(`${error.message}\n${shown.trim()}\n${states}`);
  }

  /** Types only a short line, which cannot wrap: the commands themselves are in a file. */
  async function start(commands: string): Promise<Running> {
    const name = `run-${randomBytes(4).toString("hex")}`;
    const file = join(home, name);
    const script = `{ ${commands}\n} > ${file}.out 2>&1\necho $? > ${file}.part && mv ${file}.part ${file}.end\n`;
    await writeFile(file, script);
    await type(`. ~/${name}`);
    const output = () => readFile(`${file}.out`, "utf8").catch(() => "");
    return {
      output,
      async ended() {
        const look = async () => existsSync(`${file}.end`);
        await waitUntil(look, () => `The shell did not come to the end of: ${commands}`).catch(explain);
        return { code: Number(await readFile(`${file}.end`, "utf8")), output: await output() };
      },
    };
  }

  const run = async (commands: string): Promise<Ran> => (await start(commands)).ended();

  return {
    tab,
    ready: async () => void (await tab.waitFor(`/\\$/.test(${screenText})`)),
    type,
    start,
    run,
    screen,
    shows: async (text) => void (await tab.waitFor(`${screenText}.includes(${JSON.stringify(text)})`).catch(explain)),
    async environment(prefix) {
      const { output } = await run("env");
      const lines = output.split("\n").filter((line) => line.startsWith(prefix));
      return Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
    },
  };
}
