// MCP servers for browser tests, which reach them from another origin and identify them by number. Runs in Node.
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
  /** Whether a server of the newer era also answers clients of the older one, without sessions. */
  readonly isForBoth?: boolean;
  /** More tools besides "echo", "hold" (never answers) and "sales" (requires its region in a header). */
  readonly tools?: readonly string[];
  /** The accepted bearer tokens; by default no token is needed. */
  readonly tokens?: readonly string[];
  /** Whether it accepts clients that have signed in with its authorization server. */
  readonly signIn?: boolean;
  /** Overrides the responses to these HTTP methods. */
  readonly statuses?: Readonly<Record<string, number>>;
  /**
   * Whether CORS allows pages of other origins to read the responses, completely or without headers. Completely by
   * default.
   */
  readonly cors?: "all" | "bodies" | "nothing";
}

/** The requests that a server has received so far. */
export interface Seen {
  /** Without CORS preflights. */
  readonly heard: readonly {
    readonly http: string;
    readonly method: string | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly body: JsonObject;
  }[];
  readonly sessions: readonly string[];
  /** How often "hold" started, and how often it was cancelled. */
  readonly held: number;
  readonly aborted: number;
}

interface Served {
  readonly server: McpTestServer;
  setting: ServedSetting;
  held: number;
  aborted: number;
  /** All issued tokens are revoked. */
  revoke(): void;
}

/** The listed input schema of each of its tools. */
const inputSchema = {
  type: "object" as const,
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
};

const all = new Map<string, Served>();

/** Starts a server; returns its address, which identifies it from then on. */
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
    // A changed list must be notified in an existing session, too.
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

/** Sets the server's text; notifies the clients if the tools change. */
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

/** Stops these servers for good. */
export async function end(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    await find(url).server.stop();
    all.delete(url);
  }
}

/** CORS headers that allow all requests from any origin, and reading the responses. */
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
