// Handles that are disposed with their test, and servers whose tools are defined in one place.
import type { McpServer } from "@modelcontextprotocol/server";
import { afterEach, vi } from "vitest";
import type { JsonObject } from "../wire/index.ts";
// Preloads what is loaded on demand, so that it does not count toward the first test's timeout.
import "../mcp-client/sdk.ts";
import "./bridge-server.ts";
import { registerWebMcp } from "./register-web-mcp.ts";
import type { McpTool, WebMcpHandle, WebMcpOptions, WebMcpServersOptions } from "./web-mcp-options.ts";

const handles: WebMcpHandle[] = [];

afterEach(async () => {
  await Promise.all(handles.splice(0).map((handle) => handle.dispose()));
});

/** The log messages, each with its level. */
export interface Log {
  readonly said: readonly string[];
  readonly logger: Record<"info" | "warn" | "error", (...words: unknown[]) => void>;
}

export function createLog(): Log {
  const said: string[] = [];
  const say =
    (level: string) =>
    (...words: unknown[]) =>
      said.push([level, ...words].join(" "));
  return { said, logger: { info: say("info"), warn: say("warn"), error: say("error") } };
}

export const errorSpy = () => vi.fn<(error: Error) => void>();
export const syncSpy = () => vi.fn<(tools: McpTool[]) => void>();

/** Registers without logging to the console. */
export async function register(options: WebMcpOptions | WebMcpServersOptions): Promise<WebMcpHandle> {
  const handle = await registerWebMcp({ logger: createLog().logger, ...options });
  handles.push(handle);
  return handle;
}

export interface Offered {
  /** The current tools: names, or complete definitions. */
  readonly tools: () => readonly (string | JsonObject)[];
  /** The result of a call; by default a text with the name and the arguments. */
  readonly call?: (name: string, input: unknown) => JsonObject;
}

/** For `startServer`: a server with this offer. */
export function offering({ tools, call = said }: Offered): (mcp: McpServer) => void {
  return (mcp) => {
    mcp.registerTool("any", {}, () => ({ content: [] }));
    mcp.server.setRequestHandler("tools/list", () => ({ tools: tools().map(wholeTool) }) as never);
    mcp.server.setRequestHandler("tools/call", ({ params }) => call(params.name, params.arguments) as never);
  };
}

function wholeTool(tool: string | JsonObject): JsonObject {
  return typeof tool === "string" ? { name: tool, inputSchema: { type: "object" } } : tool;
}

function said(name: string, input: unknown): JsonObject {
  return { content: [{ type: "text", text: `${name} ${JSON.stringify(input)}` }] };
}
