import { PagewireError, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import { accessTerminals } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { sendOverHttp } from "../reach-hub/send-over-http.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { oneLine, plainText } from "../common/plain-text.ts";
import { readArguments } from "../common/read-arguments.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";
import { definitionChanges } from "../console/definition-changes.ts";

const options = {
  follow: { type: "boolean", summary: "Go on, and print what waits as it comes." },
  session: { type: "boolean", summary: "allow: As long as the conversation is open." },
  always: { type: "boolean", summary: "allow, refuse: For always." },
  ...hubOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

export const waits = defineCommand({
  name: "waits",
  summary: "Show what waits for you, and answer it: approvals, questions, new origins.",
  usage: "[allow|refuse|answer] [id] [name=value…]",
  positionals: { min: 0, max: 1000 },
  options,
  notes: [
    "What waits is listed with the start of its id, the oldest first: calls that a rule or a conversation asks you about, questions of tools, pages of origins that are not allowed, and tools of pinned origins that changed. Dialogs that a page opened by itself, and pages whose sign-in has ended, are listed and answered in their page only. The rest can be answered here, in the console, and where it was asked; the first answer counts, and the other places close their question and say who answered.",
    "allow and refuse answer one of them. answer sends the fields of a tool's question: pairs, as of `pagewire call`, or a JSON object.",
    "Answering needs the hub's shell key, which only you can read, and not the token that agents have: no agent answers what its own call waits for. In jwt mode, put your token for the audience pagewire:terminal into PAGEWIRE_SHELL_KEY.",
  ],
  examples: [
    "pagewire waits",
    "pagewire waits --follow",
    "pagewire waits allow 3f2a81c0",
    "pagewire waits refuse 3f2a81c0",
    `pagewire waits answer 3f2a81c0 name="Ann" days:=7`,
  ],
  run,
});

async function run({ io, printer, values, positionals }: Context): Promise<ExitCode> {
  const [action, id, ...fields] = positionals;
  const isScoped = values.session || values.always;
  const isList = action === undefined && !isScoped;
  const isAnswer = id !== undefined && !values.follow && actions.includes(action ?? "");
  const isRight =
    isAnswer &&
    (action === "answer" ? fields.length > 0 && !isScoped : fields.length === 0) &&
    !(values.session && (values.always || action === "refuse"));
  if (!isList && !isRight)
    throw usageError(
      "Write: npx pagewire waits, or: npx pagewire waits allow <id>, or refuse <id>, or answer <id> name=value.",
    );
  const state = openOwnState(io);
  const hub = await accessTerminals(findHub(values, io, state), io, state);
  if (id === undefined) return values.follow ? follow(hub, { io, printer }) : list(hub, { printer });
  const wait = await find(hub, id);
  const body: JsonObject = {
    answer: action === "refuse" ? "refuse" : "allow",
    ...(values.session && { scope: "session" }),
    ...(values.always && { scope: "always" }),
    ...(action === "answer" && { content: await readArguments(fields, io.stdin) }),
  };
  const answer = await askHub({ ...hub, method: "POST", path: `/api/waits/${textOf(wait["id"])}`, body });
  const done = action === "allow" ? "Allowed" : action === "refuse" ? "Refused" : "Answered";
  if (printer.json) printer.data(answer);
  else printer.line(`${done}: ${subjectOf(wait)}.`);
  return 0;
}

const actions: readonly string[] = ["allow", "refuse", "answer"];

/** Characters of an id that are printed. */
const shownId = 8;
/** A page may offer as many tools as it takes for two of their ids to begin alike. */
const shownToolId = 22;

function shownIdOf({ id, kind }: JsonObject): string {
  return textOf(id).slice(0, kind === "tool-change" ? shownToolId : shownId);
}

async function list(hub: ProvenHub, { printer }: Pick<Context, "printer">): Promise<ExitCode> {
  const found = await askHub({ ...hub, method: "GET", path: "/api/waits", most: maxList });
  const all: JsonObject[] = [];
  for (const wait of waitsIn(found)) all.push(await wholeOf(hub, wait));
  if (printer.json) {
    printer.data({ ...found, waits: all });
    return 0;
  }
  if (all.length === 0) printer.line("Nothing waits for you.");
  for (const wait of all) show(wait, printer);
  const more = Number(found["more"]);
  if (more > 0) printer.line(`${more} more wait where they were asked.`);
  if (all.some(({ kind }) => kind !== "dialog" && kind !== "sign-in"))
    printer.line(
      "\nAnswer with: npx pagewire waits allow <id>, or refuse <id>; questions with: answer <id> name=value",
    );
  return 0;
}

/** Max characters of the hub's list. */
const maxList = 64 * 1024 * 1024;

/** A wait that was cut in the list is read whole: a user should see all that is allowed. */
async function wholeOf(hub: ProvenHub, wait: JsonObject): Promise<JsonObject> {
  if (wait["isCut"] !== true) return wait;
  const path = `/api/waits/${encodeURIComponent(textOf(wait["id"]))}`;
  try {
    return await askHub({ ...hub, method: "GET", path, most: maxList });
  } catch {
    // It was answered in between, and is listed as it was.
    return wait;
  }
}

/** The wait whose id begins with a text. */
async function find(hub: ProvenHub, start: string): Promise<JsonObject> {
  const all = waitsIn(await askHub({ ...hub, method: "GET", path: "/api/waits", most: maxList }));
  const found = all.filter(
    ({ id, kind }) => textOf(id).startsWith(start) && (kind !== "tool-change" || start.length >= shownToolId),
  );
  if (found.length === 1 && found[0]) return found[0];
  // The hub knows whether it was answered.
  if (found.length === 0 && start.length > shownId) return { id: encodeURIComponent(start) };
  const problem = found.length === 0 ? "Nothing waits for you by" : "Several wait by";
  throw new PagewireError(
    "route-not-found",
    `${problem} the id "${oneLine(start, 60)}". See what waits with: npx pagewire waits`,
  );
}

/** Prints what waits as it comes, until Ctrl-C. */
async function follow(hub: ProvenHub, { io, printer }: Pick<Context, "io" | "printer">): Promise<ExitCode> {
  const stop = new AbortController();
  io.onInterrupt(() => stop.abort());
  const headers = { authorization: `Bearer ${hub.token}` };
  try {
    const response = await sendOverHttp(`${hub.url}/api/waits/stream`, { headers, signal: stop.signal });
    if (response.statusCode !== 200) throw new Error(`The hub answered ${response.statusCode}.`);
    if (!printer.json) printer.note(printer.err.dim("Watching what waits for you. Ctrl-C ends it."));
    const known = new Set<string>();
    let text = "";
    for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
      text += part;
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) await showNew(/^data: (.*)$/m.exec(message)?.[1], known, { hub, printer });
    }
    throw new Error("The hub ended the stream.");
  } catch (error) {
    if (stop.signal.aborted) return 0;
    throw new PagewireError("hub-unreachable", `What waits cannot be followed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

interface Place {
  readonly hub: ProvenHub;
  readonly printer: Context["printer"];
}

async function showNew(data: string | undefined, known: Set<string>, { hub, printer }: Place): Promise<void> {
  const all = waitsIn(parseJsonObject(data ?? "", 64) ?? {});
  const ids = new Set(all.map(({ id }) => textOf(id)));
  const ended = [...known].filter((id) => !ids.has(id));
  for (const wait of all) {
    if (known.has(textOf(wait["id"]))) continue;
    const whole = await wholeOf(hub, wait);
    if (printer.json) printer.data({ event: "waits", ...whole });
    else show(whole, printer);
  }
  for (const id of ended) {
    if (printer.json) printer.data({ event: "over", id });
    else printer.line(printer.out.dim(`${id.slice(0, shownId)}  does not wait any more`));
  }
  known.clear();
  for (const id of ids) known.add(id);
}

const kinds: Readonly<Record<string, string>> = {
  approval: "approval",
  question: "question",
  origin: "new origin",
  "tool-change": "new or changed tool",
  dialog: "dialog in its page",
  "sign-in": "sign-in",
};

function show(wait: JsonObject, { line, out }: Context["printer"]): void {
  const { kind, since, description, message, arguments: given, reason, isCut } = wait;
  const time = out.dim(new Date(textOf(since)).toLocaleString("sv-SE"));
  line(`${out.bold(shownIdOf(wait))}  ${kinds[textOf(kind)] ?? "?"}: ${subjectOf(wait)} ${time}`);
  const add = (text: string) => line(`          ${text}`);
  if (wait["destructive"] === true) add(out.red("It may delete or overwrite something, by its own word."));
  add(plainText(textOf(reason)));
  if (textOf(description) !== "") add(`It says that it does: ${oneLine(textOf(description), 500)}`);
  if (textOf(message) !== "") add(`It asks: ${oneLine(textOf(message))}`);
  const fields = isJsonObject(wait["schema"]) ? wait["schema"]["properties"] : undefined;
  if (isJsonObject(fields) && Object.keys(fields).length > 0)
    add(`Fields: ${oneLine(Object.keys(fields).join(", "), 500)}`);
  if (kind === "tool-change") for (const change of definitionChanges(wait)) add(change);
  if (textOf(given) !== "") add(`With: ${oneLine(textOf(given))}`);
  if (isCut === true) add(out.red("There is more of it than is shown here."));
}

/** A wait, in one line. */
function subjectOf({ kind, tool, origin, agent, page, app }: JsonObject): string {
  if (kind === "origin") return oneLine(textOf(origin), 200);
  if (kind === "dialog" || kind === "sign-in")
    return `${oneLine(textOf(page) || textOf(app), 128)} of ${oneLine(textOf(origin), 200)}`;
  const of = textOf(origin) === "" ? "" : ` of ${oneLine(textOf(origin), 200)}`;
  const by = textOf(agent) === "" ? "" : `, for ${oneLine(textOf(agent), 60)}`;
  return `${oneLine(textOf(tool), 128) || "it"}${of}${by}`;
}

function waitsIn({ waits: all }: JsonObject): readonly JsonObject[] {
  return Array.isArray(all) ? all.filter(isJsonObject) : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
