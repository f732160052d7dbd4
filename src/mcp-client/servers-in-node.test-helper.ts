// MCP servers for tests in the browser, which reach them from another origin and know them by their numbers. Runs in Node.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { JsonObject } from "../wire/index.ts";
import { createSignIn } from "./sign-in.test-helper.ts";
import { createServer } from "./create-server.test-helper.ts";
import type { Era, HeardRequest, McpTestServer } from "./create-server.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

export interface ServedSetting {
  readonly era?: Era;
  /** Whether one of the newer era answers clients of the older one, too, each request by itself. */
  readonly isForBoth?: boolean;
  /** More tools that it lists, beside "echo", "hold" that never answers, and "sales" that wants its region in a header. */
  readonly tools?: readonly string[];
  /** The bearer tokens that it lets in; it lets in everybody where this is not said. */
  readonly tokens?: readonly string[];
  /** Whether it lets in who has signed in with its authorization server. */
  readonly signIn?: boolean;
  /** What it answers to requests of these HTTP methods, instead of what it should. */
  readonly statuses?: Readonly<Record<string, number>>;
  /** Whether pages of other origins may read its answers, all of them or not the headers. All by default. */
  readonly cors?: "all" | "bodies" | "nothing";
}

/** What a server has seen so far. */
export interface Seen {
  /** Without the questions of browsers whether they may ask. */
  readonly heard: readonly {
    readonly http: string;
    readonly method: string | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly body: JsonObject;
  }[];
  readonly sessions: readonly string[];
  /** How often a "hold" began, and was told that nobody waits for it. */
  readonly held: number;
  readonly aborted: number;
}

interface Served {
  readonly server: McpTestServer;
  setting: ServedSetting;
  held: number;
  aborted: number;
  /** No token that was given is good any more. */
  revoke(): void;
}

/** What each of its tools lists. */
const inputSchema = {
  type: "object" as const,
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
};

const all = new Map<string, Served>();

/** Starts a server; returns its address, by which it is known from then on. */
export async function start(setting: ServedSetting): Promise<string> {
  const signIn = createSignIn();
  const register = (mcp: McpServer) => {
    registerEcho(mcp);
    mcp.registerTool("hold", { inputSchema: z.object({}) }, (_, { mcpReq: { signal } }) => {
      served.held++;
      signal.addEventListener("abort", () => served.aborted++);
      return new Promise(() => {});
    });
    const region = z.string().meta({ "x-mcp-header": "Region" });
    mcp.registerTool("sales", { inputSchema: z.object({ region }) }, () => ({ content: [] }));
    // Another list is heard of in a session that is there already, too.
    mcp.server.setRequestHandler("tools/list", () => ({
      tools: ["echo", "hold", "sales", ...(served.setting.tools ?? [])].map((name) => ({ name, inputSchema })),
    }));
  };

  function instead(request: HeardRequest, response: ServerResponse): boolean {
    const { tokens, statuses = {}, cors = "all", ...rest } = served.setting;
    if (cors !== "nothing") allow(request, response, cors);
    const answer = (status: number) => Boolean(response.writeHead(status).end());
    if (request.http === "OPTIONS") return answer(204);
    if (rest.signIn && signIn.answers(request, response)) return true;
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    const isIn = tokens ? tokens.includes(token) : !rest.signIn || signIn.admits(token);
    if (!isIn) return answer(401);
    const status = statuses[request.http];
    return status !== undefined && answer(status);
  }

  const server = await createServer({
    era: setting.era ?? "modern",
    isForBoth: setting.isForBoth,
    register,
    instead,
  });
  const served: Served = { server, setting, held: 0, aborted: 0, revoke: signIn.revoke };
  all.set(server.url, served);
  return server.url;
}

/** Sets what is said, and tells those who listen where that is other tools. */
export async function change(url: string, setting: ServedSetting): Promise<void> {
  const served = find(url);
  served.setting = { ...served.setting, ...setting };
  if (setting.tools) await served.server.changed("tools");
}

export async function tell(url: string, what: "stop" | "start" | "cut" | "expire" | "revoke"): Promise<void> {
  const served = find(url);
  await (what === "revoke" ? served.revoke() : served.server[what]());
}

export function look(url: string): Seen {
  const { server, held, aborted } = find(url);
  const heard = server.heard.filter(({ http }) => http !== "OPTIONS");
  return { heard, sessions: server.sessions(), held, aborted };
}

/** Ends these servers for good. */
export async function end(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    await find(url).server.stop();
    all.delete(url);
  }
}

/** Says that pages of any origin may ask anything, and read the answer. */
function allow({ headers }: HeardRequest, response: ServerResponse, cors: "all" | "bodies"): void {
  const { origin = "*", "access-control-request-headers": names = "" } = headers;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-allow-methods", "GET, POST, DELETE");
  response.setHeader("access-control-allow-headers", names);
  if (cors === "all") response.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate");
}

function find(url: string): Served {
  const served = all.get(url);
  if (!served) throw new Error(`No server was started at ${url}.`);
  return served;
}
