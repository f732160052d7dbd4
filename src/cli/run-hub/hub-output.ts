import { version } from "../../hub/index.ts";
import type { LogRecord } from "../../hub/index.ts";
import type { ModelChoice } from "./choose-model.ts";
import type { Printer, Style } from "../common/printer.ts";
import { table } from "../console/layout.ts";
import { parseOrigin } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { isExtensionOrigin, messageOf } from "../../wire/index.ts";
import { oneLine } from "../common/plain-text.ts";

/** Logs a hub's events: for people on stderr, for programs as JSON on stdout. */
export interface HubLog {
  record(record: LogRecord): void;
  /** Something that the hub itself does not know of. */
  problem(message: string): void;
}

interface HubLogOptions {
  readonly printer: Printer;
  readonly now: () => Date;
  /** Stores the refused origins, for `pagewire doctor`. */
  readonly state: Pick<State, "noteRefusedOrigin">;
}

/** A refused page tries again and again; this limits how often the log repeats it. */
const quietTime = 60_000;

export function createHubLog({ printer, now, state }: HubLogOptions): HubLog {
  const reported = new Map<string, number>();

  function wasReported(what: string): boolean {
    const last = reported.get(what);
    if (last !== undefined && now().getTime() - last < quietTime) return true;
    reported.delete(what);
    reported.set(what, now().getTime());
    for (const oldest of reported.keys()) if (reported.size > 100) reported.delete(oldest);
    return false;
  }

  function problem(message: string): void {
    write({ time: now().toISOString(), level: "error", event: "state-unreadable", message });
  }

  function write(record: LogRecord): void {
    if (printer.json) return printer.data(record);
    // The banner covers this better.
    if (record.event !== "hub-started") printer.note(renderRecord(record, printer.err));
  }

  function noteRefusal(record: LogRecord, origin: string): void {
    if (printer.json) printer.data(record);
    else if (!wasReported(origin)) printer.note(renderRefusal(record, printer.err));
    try {
      state.noteRefusedOrigin(origin);
    } catch (error) {
      problem(messageOf(error));
    }
  }

  return {
    record(record) {
      const { event, code, origin } = record;
      if (event !== "page-refused" || typeof origin !== "string") return write(record);
      // The user may copy the suggested command into a shell, so it must contain only a valid origin.
      const isAllowable = !isExtensionOrigin(origin) && parseOrigin(origin) !== undefined;
      if (code === "origin-not-allowed" && isAllowable) noteRefusal(record, origin);
      else if (printer.json || !wasReported(`${code} ${origin}`)) write(record);
    },
    problem,
  };
}

function renderRecord({ time, level, event, ...fields }: LogRecord, style: Style): string {
  const paint = { info: (text: string) => text, warn: style.yellow, error: style.red }[level];
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  const rest = known.map(([name, value]) => `${name}=${oneLine(String(value), 300)}`);
  return [renderTime(time, style), paint(event), style.dim(rest.join(" "))].join(" ").trimEnd();
}

function renderRefusal({ time, origin }: LogRecord, style: Style): string {
  const from = oneLine(String(origin), 300);
  const words = style.yellow(`A page of ${from} wants to use this hub. Let it with:`);
  return `${renderTime(time, style)} ${words} ${style.bold(`npx pagewire allow ${from}`)}`;
}

function renderTime(time: string, style: Style): string {
  return style.dim(new Date(time).toTimeString().slice(0, 8));
}

/** The facts for the banner of a hub that has just started. */
export interface Banner {
  readonly url: string;
  /** The address for pages and agents elsewhere, if it is another one: through a proxy. */
  readonly publicUrl: string | undefined;
  /** An address that signs in the first person to open it; undefined where none is to be written down. */
  readonly signIn: string | undefined;
  readonly demo: string | undefined;
  readonly mode: "local" | "jwt" | "team";
  readonly hasTerminals: boolean;
  readonly model: Pick<ModelChoice, "name" | "key" | "note">;
  /** Why nothing can be saved, where that is so. */
  readonly problem: string | undefined;
  readonly now: Date;
}

/** Prints the hub's addresses and how to use them. */
export function printBanner(banner: Banner, printer: Printer): void {
  const { url, publicUrl, signIn, demo, hasTerminals, model, problem, now } = banner;
  if (printer.json) {
    const reached = publicUrl ?? url;
    const paths = { script: `${reached}/pagewire.js`, mcp: `${reached}/mcp` };
    const about = {
      url,
      public: publicUrl,
      open: signIn,
      demo,
      terminals: hasTerminals,
      ...paths,
      model: model.name,
      key: model.key,
      problem,
      pid: process.pid,
      version,
    };
    return printer.data({ time: now.toISOString(), level: "info", event: "hub-listening", ...about });
  }
  const { bold, green, dim } = printer.out;
  printer.line(
    `${bold(green("Pagewire"))} ${dim(version)} listens on ${bold(url)}${publicUrl === undefined ? "" : `, for others ${bold(publicUrl)}`}`,
  );
  printer.line();
  for (const line of table(rowsOf(banner))) printer.line(`  ${line}`);
  printer.line();
  printer.line(dim("Ctrl-C stops it. More: npx pagewire help"));
}

function rowsOf(banner: Banner): readonly (readonly string[])[] {
  const { url, publicUrl = url, signIn, demo, mode, hasTerminals, model, problem } = banner;
  const isJwtMode = mode === "jwt";
  const forAgents = isJwtMode ? "PAGEWIRE_TOKEN=<token> npx pagewire" : "npx pagewire";
  const notSaved = problem === undefined ? [] : [["Not saved", `nothing can be saved at the moment: ${problem}`]];
  const forPages = ["In a page", `<script src="${publicUrl}/pagewire.js" data-app="my-app"></script>`];
  const ofModel = ["Model", `${model.name}: ${model.note}`];
  if (mode === "team") return [...notSaved, ...teamRows(publicUrl), forPages, ofModel];
  return [
    ...notSaved,
    ...(signIn === undefined
      ? [["Open", `${forAgents} open`]]
      : [
          ["Open", signIn],
          ["", `which signs you in, once, in the next ten minutes; later on: ${forAgents} open`],
          ["", `the console, with what is connected and what it does: ${forAgents} open console`],
        ]),
    ...(demo === undefined ? [] : [["Try it", `${demo}/`]]),
    ...(hasTerminals
      ? [
          ["Terminals", `on: ${isJwtMode ? "PAGEWIRE_SHELL_KEY=<token> npx pagewire" : "npx pagewire"} terminal`],
          ["", "each is a shell of the user who runs this hub"],
        ]
      : []),
    forPages,
    ["For agents", `${forAgents} tools`],
    ["", `${forAgents} call <tool> [json]`],
    ["Through MCP", `${forAgents} connect claude-code`],
    ["", `${publicUrl}/mcp`],
    ofModel,
    isJwtMode
      ? ["Tokens", `signed by your app's server: ${tokenSigners(hasTerminals)} of pagewire/hub`]
      : ["Other origins", "npx pagewire allow http://localhost:5173"],
  ];
}

function teamRows(url: string): readonly (readonly string[])[] {
  const signIn = url.startsWith("https:")
    ? [
        ["Open", `${url}/console, and sign in there`],
        ["For agents", `npx pagewire login ${url}`],
        ["", "npx pagewire connect claude-code"],
      ]
    : [["Open", "nobody can sign in here: that needs https, by --tls-cert and --tls-key or --behind-proxy"]];
  return [
    ...signIn,
    ["Through MCP", `${url}/mcp, where clients sign in by themselves`],
    ["Your apps", "npx pagewire allow https://app.example.com"],
  ];
}

function tokenSigners(hasTerminals: boolean): string {
  return hasTerminals ? "signPageToken, signAgentToken and signTerminalToken" : "signPageToken and signAgentToken";
}
