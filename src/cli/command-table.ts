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
  status: {
    summary: "Show the hub that runs: its address, process, model, tabs and agents.",
    load: async () => (await import("./commands/status.ts")).status,
  },
  stop: {
    summary: "Stop the hub that runs.",
    load: async () => (await import("./commands/stop.ts")).stop,
  },
  restart: {
    summary: "Stop the hub that runs, and start it again in the background.",
    load: async () => (await import("./commands/restart.ts")).restart,
  },
  logs: {
    summary: "Show the log of the hub in the background.",
    load: async () => (await import("./commands/logs.ts")).logs,
  },
  open: {
    summary: "Open the assistant or the console in the browser, signed in.",
    load: async () => (await import("./commands/open.ts")).open,
  },
  terminal: {
    summary: "Open a terminal in the browser; its programs act in its tab.",
    load: async () => (await import("./commands/terminal.ts")).terminal,
  },
  extension: {
    summary: "Offer your own browser's pages: load the extension, and pair it.",
    load: async () => (await import("./commands/extension.ts")).extension,
  },
  browsers: {
    summary: "List the browsers that are paired by their extension, or remove one.",
    load: async () => (await import("./commands/browsers.ts")).browsers,
  },
  tabs: {
    summary: "List the browser tabs that offer tools, or disconnect one.",
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
  waits: {
    summary: "Show what waits for you, and answer it: approvals, questions, new origins.",
    load: async () => (await import("./commands/waits.ts")).waits,
  },
  delegate: {
    summary: "From a terminal, run an action in its tab.",
    load: async () => (await import("./commands/delegate.ts")).delegate,
  },
  mcp: {
    summary: "Serve MCP on stdin and stdout, for clients that start a command.",
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
  login: {
    summary: "Sign in to a hub of your team.",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    summary: "Sign out of a hub, and forget what signed you in.",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  whoami: {
    summary: "Show who you are to a hub, and what you may do there.",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  context: {
    summary: "List the hubs that you signed in to, choose one, or remove one.",
    load: async () => (await import("./commands/context.ts")).context,
  },
  policy: {
    summary: "Show, test or set the rules: allow, ask or deny.",
    load: async () => (await import("./commands/policy.ts")).policy,
  },
  consents: {
    summary: "List what you allowed or refused for always, and take it back.",
    load: async () => (await import("./commands/consents.ts")).consents,
  },
  pins: {
    summary: "Review tools that changed since they were first seen, and accept them.",
    load: async () => (await import("./commands/pins.ts")).pins,
  },
  token: {
    summary: "Show or change the token that agents bring.",
    load: async () => (await import("./commands/token.ts")).token,
  },
  keys: {
    summary: "List, make and remove keys with which your own agents act for you.",
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  team: {
    summary: "Govern your organisation: its people, service accounts, policy, quotas, audit.",
    load: async () => (await import("./commands/team.ts")).team,
  },
  connect: {
    summary: "Connect an MCP client, such as Claude Code or Cursor.",
    load: async () => (await import("./commands/connect.ts")).connect,
  },
  model: {
    summary: "Show the hub's model, test it, or choose another of its provider's.",
    load: async () => (await import("./commands/model.ts")).model,
  },
  audit: {
    summary: "Show who called what, when, with what outcome.",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  store: {
    summary: "Inspect, prune, back up or export the hub's data.",
    load: async () => (await import("./commands/store.ts")).store,
  },
  "attach-browser": {
    summary: "Let this terminal's programs act in a tab.",
    load: async () => (await import("./commands/attach-browser.ts")).attachBrowser,
  },
  doctor: {
    summary: "Diagnose problems and say how to fix them.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  "git-credential": {
    summary: "Let git ask for passwords in the tab of this terminal.",
    load: async () => (await import("./commands/git-credential.ts")).gitCredential,
  },
  completion: {
    summary: "Print a script that completes commands in a shell.",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  help: {
    summary: "Explain a command.",
    load: async () => (await import("./help.ts")).help,
  },
  version: {
    summary: "Say which version this is.",
    load: async () => (await import("./commands/version.ts")).version,
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
