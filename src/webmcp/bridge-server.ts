// One MCP server behind the browser's tools. Loaded with the MCP client, when there is a server to connect to.
import { connectMcpToolbox } from "../mcp-client/index.ts";
import { unlessAborted } from "../toolbox/index.ts";
import type { CallEnvironment, CallOutcome } from "../toolbox/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import { aboutServer, lostServer } from "./bridge-errors.ts";
import type { BridgeSettings, ServerSetting } from "./bridge-settings.ts";
import type { BridgedTool, ServerBridge } from "./bridge-tools.ts";
import { browserAnswer } from "./browser-result.ts";
import type { ResultForm } from "./browser-result.ts";
import type { WebMcpProgress } from "./web-mcp-options.ts";

export interface ServerNeeds {
  readonly settings: Pick<BridgeSettings, "watch" | "logger"> & { readonly results: ResultForm };
  /** Ends everything when it aborts. */
  readonly stop: AbortSignal;
  /** The server's offer has changed. */
  changed(): void;
  /** Reports a failure that rejects no promise. */
  problem(error: unknown): void;
  /** With this, an unreachable server is no error: the callback receives the reason. */
  readonly unreached: ((error: unknown) => void) | undefined;
  /** The server is connected again. */
  back(): void;
  progress(update: WebMcpProgress): void;
}

/** Connects to a server. Rejects if it cannot be reached, or with the reason of `stop`. */
export async function connectServer(setting: ServerSetting, needs: ServerNeeds): Promise<ServerBridge> {
  const { url, handshake, headers, authProvider, authorizationResponse, limits, timeoutMs } = setting;
  const { settings, stop, changed, problem, unreached, back } = needs;
  const connectTime = timeoutMs === undefined ? {} : { connectTime: Math.min(timeoutMs, longestTimer) };
  let isStarting = true;
  const toolbox = await connectMcpToolbox(url, {
    fetch: bridgeFetch(setting),
    client: { name: "pagewire/webmcp" },
    handshake,
    asks: [],
    lists: ["tools"],
    anyNames: true,
    follow: settings.watch,
    limits: { ...limits, ...connectTime },
    signal: stop,
    onError(error, { stage }) {
      // Tools that are left out fail no start: the handle names them.
      if (isStarting && stage === "mcp offer") settings.logger.warn(aboutServer(error, url).message);
      else problem(stage === "mcp connection" ? lostServer(error, url) : error);
    },
    onReached: back,
    ...(headers ? { headers } : {}),
    ...(authProvider ? { authProvider: authProvider as never } : {}),
    ...(authorizationResponse ? { authorizationResponse } : {}),
    ...(unreached ? { onUnreached: unreached } : {}),
  });
  isStarting = false;
  let isRefreshing = false;
  let isUntold = false;
  toolbox.subscribe(() => {
    // The caller of refresh reads the tools afterwards.
    if (isRefreshing) isUntold = true;
    else changed();
  });
  return {
    setting,
    offered: () => toolbox.offer().tools,
    leftOut: () => toolbox.leftOut().map(({ name, message }) => ({ name: setting.prefix + name, message })),
    async call(tool, input, signal) {
      const environment = environmentOf(tool, AbortSignal.any([signal, stop]), { ...needs, timeoutMs });
      const outcome = stop.aborted ? disposedBefore(tool) : await toolbox.callTool(tool.atServer, input, environment);
      signal.throwIfAborted();
      const ending = outcome.kind === "aborted" ? disposedWhile(tool) : outcome;
      return browserAnswer(ending, settings.results, (type) =>
        settings.logger.warn(`"${tool.inBrowser}" answered with "${type}", of which its text does not say all.`),
      );
    },
    async refresh() {
      isRefreshing = true;
      try {
        await toolbox.refresh();
        isUntold = false;
      } finally {
        isRefreshing = false;
        if (isUntold) changed();
      }
    },
    close: () => toolbox.close(),
  };
}

const callTime = 60_000;
const longestTimer = 2 ** 31 - 1;

function environmentOf(
  { inBrowser }: BridgedTool,
  signal: AbortSignal,
  { timeoutMs = callTime, progress }: Pick<ServerNeeds, "progress"> & { readonly timeoutMs: number | undefined },
): CallEnvironment {
  return {
    callId: inBrowser,
    agent: { name: "browser" },
    signal,
    deadline: Date.now() + timeoutMs,
    asks: [],
    rounds: false,
    progress: (done, total, message) =>
      progress({
        tool: inBrowser,
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      }),
    log() {},
    ask: () => Promise.reject(new PagewireError("ask-unsupported", "A browser's agent cannot be asked anything.")),
  };
}

function disposedBefore({ inBrowser }: BridgedTool): CallOutcome {
  const message = `"${inBrowser}" was not called: the handle of registerWebMcp was disposed.`;
  return { kind: "refused", code: "not-delivered", message };
}

function disposedWhile({ inBrowser }: BridgedTool): CallOutcome {
  const message = `It is not known how "${inBrowser}" ended: the handle of registerWebMcp was disposed while it ran.`;
  return { kind: "failed", code: "outcome-unknown", message };
}

/** A fetch for a server's requests, with the current headers of `getHeaders`. They are sent to no other origin. */
function bridgeFetch({ url, getHeaders, fetch: own }: ServerSetting): typeof fetch {
  const { origin } = new URL(url);
  // Looked up for each request, because pages replace it.
  const send: typeof fetch = (input, init) => (own ?? fetch)(input, init);
  if (!getHeaders) return send;

  const headersNow = async (signal: AbortSignal | undefined): Promise<readonly (readonly [string, string])[]> => {
    try {
      return [...new Headers(await unlessAborted(Promise.resolve(getHeaders()), signal))];
    } catch (error) {
      if (signal?.aborted) throw error;
      const message = `getHeaders for the MCP server at ${origin} failed: ${messageOf(error)}`;
      throw new PagewireError("not-delivered", message, { cause: error });
    }
  };

  return async (input, init) => {
    if (new URL(input instanceof Request ? input.url : input).origin !== origin) return send(input, init);
    const first = await headersNow(init?.signal ?? undefined);
    const response = await send(input, withHeaders(init, first));
    if (response.status !== 401) return response;
    const next = await headersNow(init?.signal ?? undefined);
    if (JSON.stringify(next) === JSON.stringify(first)) return response;
    await response.body?.cancel();
    return send(input, withHeaders(init, next));
  };
}

function withHeaders(init: RequestInit | undefined, more: readonly (readonly [string, string])[]): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of more) headers.set(name, value);
  return { ...init, headers };
}

export { createSyncer } from "./create-syncer.ts";
