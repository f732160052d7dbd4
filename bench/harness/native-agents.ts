// MCP clients whose servers reach the tools of a page in Chromium: Pagewire's, and the peers', as they are installed.
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import type { CallToolResult, ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ToolAnswer } from "../pages/answers.ts";
import { isToolAnswer } from "./check-answer.ts";
import { agentToken } from "./prepare-callers.ts";
import { connectSdkClient } from "./prepare-mcp-callers.ts";

const require = createRequire(import.meta.url);

export const playwrightScript = join(require.resolve("@playwright/mcp/package.json"), "../cli.js");
export const devToolsScript = join(
  require.resolve("chrome-devtools-mcp/package.json"),
  "../build/src/bin/chrome-devtools-mcp.js",
);

/** It is to send nothing to its makers. */
export const devToolsPrivately = ["--no-usage-statistics", "--no-performance-crux"];

/** How one client uses a page's tools. */
export interface NativeAgent {
  readonly name: string;
  /** Whether each call takes half a second. */
  readonly isSlow: boolean;
  /** Whether its clients are notified of changes to a page's tools. */
  readonly tells: boolean;
  /** Calls a tool by the name that the page gave it. */
  call(tool: string): Promise<CallToolResult>;
  /** The page's answer, as this client receives it. */
  answerIn(result: CallToolResult): ToolAnswer;
  /** Whether the list that it can ask for has this tool. */
  lists(tool: string): Promise<boolean>;
  /** The same, after an action that makes its server check the page. */
  looks(tool: string): Promise<boolean>;
  /** Begins to listen; what it gives resolves each time that the client has been told that its list is another. */
  listen(): () => Promise<void>;
  close(): Promise<void>;
}

export interface Connected {
  readonly client: Client;
  listen: NativeAgent["listen"];
  close(): Promise<void>;
}

/** Pagewire's hub, by HTTP. */
export async function connectByHttp(port: number): Promise<NativeAgent> {
  const connected = await connect((options) => connectSdkClient(port, "2025-11-25", options));
  return ofPagewire("HTTP client", connected);
}

/** Pagewire's hub, by the command that a client starts. */
export async function connectByCommand(port: number): Promise<NativeAgent> {
  const command = join(dirname(fileURLToPath(import.meta.resolve("pagewire/hub"))), "..", "cli", "main.js");
  const args = [command, "mcp", "--hub", `http://127.0.0.1:${port}`];
  const connected = await startProgram(args, { PAGEWIRE_TOKEN: agentToken });
  return ofPagewire("pagewire", connected);
}

function ofPagewire(name: string, connected: Connected): NativeAgent {
  const lists = (tool: string) => hasTool(connected.client, tool);
  return {
    ...connected,
    name,
    isSlow: false,
    tells: true,
    call: (tool) => connected.client.callTool({ name: tool, arguments: {} }),
    answerIn: (result) => result as unknown as ToolAnswer,
    lists,
    looks: lists,
  };
}

/** `@playwright/mcp`, on a browser that runs. */
export async function connectPlaywright(address: string): Promise<NativeAgent> {
  const connected = await startProgram([playwrightScript, "--cdp-endpoint", address]);
  const { client } = connected;
  const nameOf = (tool: string) => `webmcp_${tool}`;
  const look = () => client.callTool({ name: "browser_snapshot", arguments: {} });
  await look();
  return {
    ...connected,
    name: "@playwright/mcp",
    isSlow: true,
    tells: true,
    call: (tool) => client.callTool({ name: nameOf(tool), arguments: {} }),
    answerIn: (result) => JSON.parse(textOf(result).replace(/^[^{]*/, "")) as ToolAnswer,
    lists: (tool) => hasTool(client, nameOf(tool)),
    async looks(tool) {
      await look();
      return hasTool(client, nameOf(tool));
    },
  };
}

/** `chrome-devtools-mcp`, on a browser that runs. */
export async function connectDevTools(address: string): Promise<NativeAgent> {
  const own = ["--categoryExperimentalWebmcp", ...devToolsPrivately];
  const connected = await startProgram([devToolsScript, "--browserUrl", address, ...own]);
  const { client } = connected;
  const ask = (name: string, given: Record<string, unknown>) =>
    client.callTool({ name, arguments: { pageId: 1, ...given } });
  const lists = async (tool: string) => textOf(await ask("list_webmcp_tools", {})).includes(`name="${tool}"`);
  await client.callTool({ name: "list_pages", arguments: {} });
  return {
    ...connected,
    name: "chrome-devtools-mcp",
    isSlow: false,
    tells: false,
    call: (tool) => ask("execute_webmcp_tool", { toolName: tool, input: "{}" }),
    answerIn: (result) => (JSON.parse(textOf(result)) as { readonly output: ToolAnswer }).output,
    lists,
    looks: lists,
  };
}

/** Calls a tool until the answer is the right one. */
export async function checkNativeAgent({ name, call, answerIn }: NativeAgent, tool: string): Promise<void> {
  const result = await call(tool);
  if (!result.isError && isToolAnswer(answerIn(result), "200 B")) return;
  throw new Error(`${name} gave another answer than the tool "${tool}": ${JSON.stringify(result).slice(0, 500)}`);
}

/** Starts an MCP server as a client does, by this script and these arguments of Node. */
export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  // Some of them write what they find into the folder that they run in.
  const cwd = await mkdtemp(join(tmpdir(), "pagewire-bench-"));
  const connected = await connect(async (options) => {
    const client = new Client({ name: "pagewire-bench", version: "1.0.0" }, options);
    const { PATH = "" } = process.env;
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...args],
        cwd,
        env: { PATH, HOME: cwd, NODE_ENV: "production", ...env },
        stderr: "ignore",
      }),
    );
    return client;
  });
  return {
    ...connected,
    async close() {
      await connected.close();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

async function connect(open: (options: ClientOptions) => Promise<Client>): Promise<Connected> {
  const news = new EventEmitter();
  let announced = 0;
  const onChanged = () => {
    announced++;
    news.emit("changed");
  };
  const client = await open({ listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } });
  return {
    client,
    listen() {
      let heard = announced;
      return async () => {
        while (announced === heard) await once(news, "changed");
        heard = announced;
      };
    },
    close: () => client.close(),
  };
}

async function hasTool(client: Client, name: string): Promise<boolean> {
  return (await client.listTools()).tools.some((tool) => tool.name === name);
}

function textOf({ content: [first] }: CallToolResult): string {
  return first?.type === "text" ? first.text : "";
}
