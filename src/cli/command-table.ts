import type { Command } from "./command.ts";

/** A command as the list of commands knows it; the rest is loaded when it is used. */
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
  token: {
    summary: "Show or change the token that agents bring.",
    load: async () => (await import("./commands/token.ts")).token,
  },
  connect: {
    summary: "Connect an MCP client, such as Claude Code or Cursor.",
    load: async () => (await import("./commands/connect.ts")).connect,
  },
  doctor: {
    summary: "Find out what is wrong, and what to do.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  help: {
    summary: "Explain a command.",
    load: async () => (await import("./commands/help.ts")).help,
  },
};
