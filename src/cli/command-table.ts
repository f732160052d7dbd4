import { usageError } from "./common/command.ts";
import type { Command } from "./common/command.ts";
import { nearest } from "./common/nearest.ts";

/** A command's entry in the list of commands; the rest is loaded when it is used. */
export interface CommandEntry {
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command, in the order of the help. The first one is run when none is named. */
export const commandTable: Readonly<Record<string, CommandEntry>> = {
  hub: {
    summary: "Run the hub. This is what `pagewire` alone does.",
    load: async () => (await import("./commands/hub.ts")).hub,
  },
  open: {
    summary: "Open the assistant in the browser, signed in.",
    load: async () => (await import("./commands/open.ts")).open,
  },
  terminal: {
    summary: "Open a terminal in the browser; its programs act in its tab.",
    load: async () => (await import("./commands/terminal.ts")).terminal,
  },
  tabs: {
    summary: "List the browser tabs that offer tools.",
    load: async () => (await import("./commands/tabs.ts")).tabs,
  },
  tools: {
    summary: "List the tools that can be called.",
    load: async () => (await import("./commands/tools.ts")).tools,
  },
  call: {
    summary: "Call a tool in a page.",
    load: async () => (await import("./commands/call.ts")).call,
  },
  delegate: {
    summary: "From a terminal, have its tab do something.",
    load: async () => (await import("./commands/delegate.ts")).delegate,
  },
  mcp: {
    summary: "Serve MCP on stdin and stdout, for clients that want a command.",
    load: async () => (await import("./commands/mcp.ts")).mcp,
  },
  watch: {
    summary: "Show every call as it happens.",
    load: async () => (await import("./commands/watch.ts")).watch,
  },
  allow: {
    summary: "Let pages of an origin offer tools.",
    load: async () => (await import("./commands/allow.ts")).allow,
  },
  policy: {
    summary: "Say which calls may begin: allow, ask or deny.",
    load: async () => (await import("./commands/policy.ts")).policy,
  },
  pins: {
    summary: "Look at tools that changed since they were first seen, and accept them.",
    load: async () => (await import("./commands/pins.ts")).pins,
  },
  token: {
    summary: "Show or change the token that agents bring.",
    load: async () => (await import("./commands/token.ts")).token,
  },
  connect: {
    summary: "Connect an MCP client, such as Claude Code or Cursor.",
    load: async () => (await import("./commands/connect.ts")).connect,
  },
  audit: {
    summary: "Show who called what, when, with what outcome.",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  store: {
    summary: "Look at what the hub keeps, tidy it up, copy it.",
    load: async () => (await import("./commands/store.ts")).store,
  },
  "attach-browser": {
    summary: "Let this terminal's programs act in a tab.",
    load: async () => (await import("./commands/attach-browser.ts")).attachBrowser,
  },
  doctor: {
    summary: "Find out what is wrong, and what to do.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  "git-credential": {
    summary: "Let git ask for passwords in the tab of this terminal.",
    load: async () => (await import("./commands/git-credential.ts")).gitCredential,
  },
  help: {
    summary: "Explain a command.",
    load: async () => (await import("./help.ts")).help,
  },
  "browser-id": {
    summary: "For scripts: the id by which a terminal names its tab.",
    load: async () => (await import("./commands/browser-id.ts")).browserId,
  },
  "workspace-token": {
    summary: "For scripts: the token of a terminal.",
    load: async () => (await import("./commands/workspace-token.ts")).workspaceToken,
  },
  "copy-to-clipboard": {
    summary: "For scripts: put text into the clipboard of a terminal's user.",
    load: async () => (await import("./commands/copy-to-clipboard.ts")).copyToClipboard,
  },
};

/** The command with this name; if there is none, throws with a suggestion. */
export async function findCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (entry !== undefined) return entry.load();
  const meant = nearest(name, Object.keys(commandTable));
  const next = meant === undefined ? "See: npx pagewire help" : `Did you mean "pagewire ${meant}"?`;
  throw usageError(`There is no command "${name}". ${next}`);
}
