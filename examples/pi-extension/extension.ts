// Offers Pi what the browser tab can do that shows this terminal: its actions, and the tools of its page. One file without
// dependencies. It runs `pagewire`, which knows at every call which terminal this is and in which tab it is now.
// It offers nothing in a terminal that belongs to no tab.
import { spawn } from "node:child_process";
import type { AgentToolResult, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

type Fields = Readonly<Record<string, unknown>>;
type Content = AgentToolResult<unknown>["content"];

/** One thing that the tab can do; everything but the form of this was written by the page. */
interface Action {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Fields;
}

interface Offer {
  readonly tab: { readonly id: string; readonly title: string; readonly url: string; readonly app: string };
  readonly actions: readonly Action[];
}

/** The text about a call for Pi. */
interface Details {
  readonly action: string;
  readonly progress?: unknown;
  readonly structured?: unknown;
  readonly fields?: unknown;
}

type OnUpdate = ((partial: AgentToolResult<Details>) => void) | undefined;

/** Git asks for passwords; a model must never get one. */
const notForModels = ["git_credential"];
const LONGEST_DESCRIPTION = 4000;
const LONGEST_PREVIEW = 16_000;

// oxlint-disable-next-line import/no-default-export -- this is how Pi finds an extension
export default function pagewireExtension(pi: ExtensionAPI): void {
  const shelf = createShelf(pi);
  let isTerminal: boolean | undefined;

  /** Looks what the tab can do now. */
  async function refresh(signal?: AbortSignal): Promise<Offer> {
    try {
      const offer = await listActions(signal);
      if (isTerminal !== true) offerAlways(pi, refresh);
      isTerminal = true;
      shelf.show(offer.actions);
      return offer;
    } catch (error) {
      const code = error instanceof ActionError ? error.code : "";
      const isNone = code === "terminal-not-found" || code === "command-missing";
      // A terminal that is in no tab just now may be in one by the next call.
      if (isTerminal === undefined && !isNone) offerAlways(pi, refresh);
      isTerminal ??= !isNone;
      shelf.show([]);
      throw error;
    }
  }

  const look = async () => void (await refresh().catch(() => {}));
  pi.on("session_start", look);
  // Pi takes the tools of a run from its start. What the tab gains in the meantime is reached through `call_tab_tool`.
  pi.on("before_agent_start", () => (isTerminal === false ? undefined : look()));
  pi.registerCommand("tab", {
    description: "What the browser tab can do that shows this terminal",
    async handler(_, { ui }) {
      try {
        const { tab, actions } = await refresh();
        ui.notify(`${oneLine(tab.title)} (${oneLine(tab.url)}): ${actions.map(({ name }) => name).join(", ")}`);
      } catch (error) {
        ui.notify(error instanceof Error ? error.message : String(error), "error");
      }
    },
  });
}

/** The tools of the tab among Pi's. */
function createShelf(pi: ExtensionAPI) {
  /** Every tool that was ever registered, and as what; Pi takes none back, but lets them rest. */
  const known = new Map<string, string>();
  let shown: readonly string[] = [];

  function register(name: string, action: Action): void {
    const definition = JSON.stringify(action);
    if (known.get(name) === definition) return;
    known.set(name, definition);
    pi.registerTool({
      name,
      label: oneLine(action.title ?? action.name),
      description: describe(action),
      // In our own words: what a page says is no part of the system prompt.
      promptSnippet: `Do "${action.name}" in the browser tab that shows this terminal`,
      parameters: Type.Unsafe<Fields>(action.inputSchema),
      execute: (...[, input, signal, onUpdate]) => callAction(action.name, { input, signal, onUpdate }),
    });
  }

  return {
    show(actions: readonly Action[]): void {
      const others = new Set(pi.getAllTools().flatMap(({ name }) => (known.has(name) ? [] : [name])));
      const now = new Map<string, Action>();
      for (const action of actions) {
        const name = freeName(action.name, (each) => others.has(each) || now.has(each));
        now.set(name, action);
      }
      for (const [name, action] of now) register(name, action);
      const resting = shown.filter((name) => !now.has(name));
      const back = [...now.keys()].filter((name) => !shown.includes(name));
      shown = [...now.keys()];
      const active = pi.getActiveTools().filter((name) => !resting.includes(name));
      pi.setActiveTools([...new Set([...active, ...back])]);
    },
  };
}

/** A name that models can be given, and that no tool of Pi or of another extension has: a page replaces none of them. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 56);
  for (let count = 0; ; count++) {
    const candidate = [plain, `tab_${plain}`][count] ?? `tab_${plain}_${count}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Two tools that are always there. */
function offerAlways(pi: ExtensionAPI, refresh: (signal?: AbortSignal) => Promise<Offer>): void {
  pi.registerTool({
    name: "list_tab_tools",
    label: "List the tab's tools",
    description: "Lists what the browser tab that shows this terminal can do now, with the schemas of the arguments.",
    promptSnippet: "List what the browser tab that shows this terminal can do",
    parameters: Type.Object({}),
    async execute(_id, _input, signal) {
      const { tab, actions } = await refresh(signal);
      const list = actions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      return { content: [{ type: "text", text: JSON.stringify({ tab, tools: list }) }], details: { tab } };
    },
  });
  pi.registerTool({
    name: "call_tab_tool",
    label: "Call a tool of the tab",
    description: "Calls a tool of the browser tab that shows this terminal, by the name that list_tab_tools gives.",
    promptSnippet: "Call a tool of the browser tab that is not among your own tools",
    parameters: Type.Object({
      name: Type.String({ description: "The tool's name." }),
      arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "The tool's arguments." })),
    }),
    execute: (...[, { name, arguments: input = {} }, signal, onUpdate]) =>
      callAction(name, { input, signal, onUpdate }),
  });
}

function describe({ name, title = name, description = "" }: Action): string {
  const said = description === "" ? title : description;
  return `In the browser tab that shows this terminal. The page says of it: ${said}`.slice(0, LONGEST_DESCRIPTION);
}

async function listActions(signal?: AbortSignal): Promise<Offer> {
  const found = (await runPagewire(["delegate", "--list", "--json"], { signal })) as unknown as Offer;
  return { ...found, actions: found.actions.filter(({ name }) => !notForModels.includes(name)) };
}

interface Call {
  readonly input: Fields;
  readonly signal: AbortSignal | undefined;
  readonly onUpdate: OnUpdate;
}

/** Has the tab do something. What fails is thrown, as Pi wants it. */
async function callAction(action: string, { input, signal, onUpdate }: Call): Promise<AgentToolResult<Details>> {
  if (notForModels.includes(action)) throw new ActionError("tool-not-found", `Unknown action: ${action}`);
  let text = "";
  let progress: Fields | undefined;
  const onLine = (line: Fields) => {
    if (typeof line["chunk"] === "string") text = (text + line["chunk"]).slice(-LONGEST_PREVIEW);
    else if (isObject(line["progress"])) progress = line["progress"];
    else return;
    const shown = [describeProgress(progress), text].filter((part) => part !== "").join("\n");
    onUpdate?.({ content: [{ type: "text", text: shown }], details: { action, progress } });
  };
  const words = ["delegate", "--json", "--stream", "--", action, "-"];
  const { text: said, structured, fields, content } = await runPagewire(words, { input, signal, onLine });
  return { content: contentOf(content, said), details: { action, structured, fields } };
}

function describeProgress({ progress, total, message }: Fields = {}): string {
  const count = [progress, total].filter((part) => typeof part === "number").join("/");
  return [count, message].filter((part) => typeof part === "string" && part !== "").join(" ");
}

/** Text and images as they are; other blocks as what they hold. */
function contentOf(content: unknown, text: unknown): Content {
  if (!Array.isArray(content))
    return [{ type: "text", text: typeof text === "string" && text !== "" ? text : "Done." }];
  return content.filter(isObject).map(({ type, text: words, data, mimeType, ...more }): Content[number] => {
    if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
    const isText = type === "text" && typeof words === "string";
    return { type: "text", text: isText ? words : JSON.stringify({ type, text: words, mimeType, ...more }) };
  });
}

interface Run {
  /** Goes to stdin, as JSON. */
  readonly input?: Fields;
  readonly signal?: AbortSignal | undefined;
  onLine?(line: Fields): void;
}

/** Runs the command; gives the last line that it printed. The signal interrupts it, which cancels in the tab. */
async function runPagewire(words: readonly string[], { input, signal, onLine }: Run): Promise<Fields> {
  signal?.throwIfAborted();
  const child = spawn("pagewire", words, { stdio: ["pipe", "pipe", "pipe"] });
  const interrupt = () => void child.kill("SIGINT");
  signal?.addEventListener("abort", interrupt);
  try {
    // A command that has ended does not read.
    child.stdin.on("error", () => {});
    child.stdin.end(input === undefined ? "" : JSON.stringify(input));
    const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const [last, problem, code] = await Promise.all([readLines(child.stdout, onLine), readLines(child.stderr), ended]);
    if (code === 0 && last !== undefined) return last;
    signal?.throwIfAborted();
    const { code: name, message } = isObject(problem?.["error"]) ? problem["error"] : (last ?? {});
    throw new ActionError(name, typeof message === "string" ? message : `pagewire ended with ${code}.`);
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT")
      throw new ActionError(
        "command-missing",
        "There is no command pagewire. Install it with: npm install -g pagewire",
      );
    throw error;
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/** Reads a stream of lines of JSON; returns the last object. */
async function readLines(stream: NodeJS.ReadableStream, onLine?: (line: Fields) => void): Promise<Fields | undefined> {
  let [rest, last] = ["", undefined as Fields | undefined];
  for await (const part of stream.setEncoding("utf8")) {
    const lines = (rest + String(part)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const said = parseLine(line);
      if (said === undefined) continue;
      last = said;
      onLine?.(said);
    }
  }
  return last;
}

function parseLine(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 200);
}

class ActionError extends Error {
  readonly code: string;

  constructor(code: unknown, message: string) {
    super(typeof code === "string" ? `${message} (${code})` : message);
    this.code = typeof code === "string" ? code : "";
  }
}
