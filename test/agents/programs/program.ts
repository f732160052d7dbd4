// A program, as the harness needs to know it: one file of this folder for each.
import type { ModelFormat, ToolCall, ToolName } from "../model/model-format.ts";
import type { Terminal } from "../support/terminal.ts";

/** A program's surroundings: its user's home, one project, and the address of its model. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly modelUrl: string;
}

/** A call as the program's own output tells it. */
export interface ToldCall {
  readonly tool: string;
  readonly isError: boolean;
}

/** A conversation, read from the program's own machine format. */
export interface ToldConversation {
  readonly calls: readonly ToldCall[];
  readonly text: string;
}

/** A line of a program's output, read without a check: one that means something else fails its journeys. */
// oxlint-disable-next-line typescript/no-explicit-any
export type OutputLine = any;

export interface Program {
  /** Its name for `pagewire connect`. */
  readonly id: string;
  readonly title: string;
  /** Its package in `package.json` beside this, and the command that the package brings. */
  readonly package: string;
  readonly command: string;
  readonly format: ModelFormat;
  /** The name under which its model gets a tool of the page. */
  toolName(tool: string): ToolName;
  /** Has it use only the model of this place; returns its environment. */
  setUp(place: Place): Promise<Readonly<Record<string, string>>>;
  /** The arguments of a conversation without a terminal. */
  talk(prompt: string): readonly string[];
  /** The arguments by which its user approves all tools of the hub beforehand. */
  readonly approve: readonly string[];
  read(lines: readonly OutputLine[]): ToldConversation;
  /** Its own list of MCP servers, and what it says of one that answers. */
  readonly list: { readonly args: readonly string[]; readonly healthy: RegExp };
  /** The tools by which its model lists and reads resources; missing where it has none. */
  readonly resources?: { readonly list?: ToolCall; read(uri: string): ToolCall };
  /** How its user names a resource, and uses a prompt with one argument; missing where no words do it. */
  nameResource?(uri: string): Setting;
  usePrompt?(prompt: string, argument: string, value: string): Setting;
  /** How a person uses it in a terminal. */
  readonly inTerminal: InTerminal;
  /** How its user allows a call of a tool this many seconds; missing where its user cannot. */
  allowSeconds?(seconds: number, place: Place): Setting;
}

/** A setting for the time of one conversation. */
export interface Setting {
  readonly variables?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The prompt. */
  readonly prompt?: string;
  /** Another folder than its project's. */
  readonly cwd?: string;
  /** A file that is changed, and put back afterwards. */
  readonly file?: { readonly path: string; change(text: string): string };
}

export interface InTerminal {
  /** The arguments with which it asks its user itself, where it can. */
  readonly args: readonly string[];
  /** On the screen once it takes a prompt. */
  readonly ready: RegExp;
  /** Its own question before a call, on the screen, whose first answer is yes; missing where it asks nothing. */
  readonly approval?: RegExp;
  /** How its user allows all tools of the hub beforehand, and can still be asked by them. */
  allowed(place: Place): Setting;
  /** Its form for a question of a server; missing where it has none. */
  readonly form?: {
    /** Fills the only field with a digit; Enter sends it. Missing where it has no field for a number. */
    fill?(terminal: Terminal, digit: string): Promise<void>;
    /** Allows the call that the hub asks about; Enter sends it. */
    allow(terminal: Terminal): Promise<void>;
  };
  /** How often Esc interrupts a call, and what the screen shows before the last time. */
  readonly interrupt: readonly RegExp[];
}
