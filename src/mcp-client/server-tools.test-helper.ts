// The tools of the tests' servers.
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { HeardRequest, ServerSetting } from "./create-server.test-helper.ts";

/** A tool that returns its arguments. */
export function registerEcho(server: McpServer): void {
  const inputSchema = z.object({ text: z.string().optional() });
  server.registerTool("echo", { description: "Says it again.", inputSchema }, ({ text = "" }) => ({
    content: [{ type: "text", text }],
  }));
}

export interface Hold {
  register(server: McpServer): void;
  /** Resolves when the tool "hold" runs. */
  readonly started: Promise<void>;
  /** Resolves when its handler is cancelled. */
  readonly aborted: Promise<void>;
}

/** A tool that never answers. */
export function createHold(): Hold {
  let start = () => {};
  let abort = () => {};
  return {
    started: new Promise((resolve) => (start = resolve)),
    aborted: new Promise((resolve) => (abort = resolve)),
    register(server) {
      server.registerTool("hold", { inputSchema: z.object({}) }, (_, { mcpReq: { signal } }) => {
        signal.addEventListener("abort", () => abort());
        start();
        return new Promise(() => {});
      });
    },
  };
}

/** Answers some requests of the newer era instead of the server, with these results. */
export function answering(results: Readonly<Record<string, (params: JsonObject) => object>>): ServerSetting["instead"] {
  return (request, response) => {
    const result = results[request.method ?? ""]?.(paramsOf(request));
    if (!result) return false;
    const whole = { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: request.body["id"], result: whole }));
    return true;
  };
}

export function paramsOf({ body }: HeardRequest): JsonObject {
  return isJsonObject(body["params"]) ? body["params"] : {};
}
