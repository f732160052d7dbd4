// One connection to an MCP server: depending on the revision a session, or stateless requests and one notification
// stream. Reports its end once; connection.ts reconnects.
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { unlessAborted } from "../toolbox/index.ts";
import type { JsonObject, ObjectSchema } from "../wire/index.ts";
import { createClient } from "./create-client.ts";
import type { ClientEvents } from "./create-client.ts";
import { createTransport } from "./create-transport.ts";
import { isExpired, isMalformed } from "./failures.ts";
import { heldText, holdResults } from "./held-transport.ts";
import { hasNews, listen } from "./listen.ts";
import type { News } from "./listen.ts";
import type { McpHandshake, SessionOptions } from "./mcp-toolbox.ts";

export interface SessionEvents extends ClientEvents {
  /** The session is over, but its running calls may still be answered. */
  lost(reason: unknown): void;
  /** Nothing is running in it any more. */
  ended(): void;
  /** Reports an error that belongs to no request. */
  problem(error: unknown): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeout: number;
  /** The input schema of the called tool. */
  readonly inputSchema?: ObjectSchema;
  onProgress?(progress: number, total?: number, message?: string): void;
}

/** A server's result as JSON text, or its questions. */
export type Reply = { readonly text: string } | { readonly inputRequired: JsonObject };

export type SendRequest = (method: string, params: JsonObject, options: RequestOptions) => Promise<Reply>;

export interface Session {
  readonly client: Client;
  /** Aborted when the session is over. */
  readonly over: AbortSignal;
  /** Whether the server may be of the newer era after all: as an older one it could not send its notifications. */
  readonly isDoubtful: boolean;
  /** Sends a request. Rejects with the SDK's errors. */
  readonly request: SendRequest;
  /** Subscribes to these resources, if the server supports it. */
  follow(uris: readonly string[]): void;
  /** Ends the session and everything that runs in it. Can be called twice. */
  close(): Promise<void>;
}

/** The handshake of a connection, and its progress. */
export interface Begin {
  readonly handshake: McpHandshake;
  /** Whether `initialize` was sent. */
  isInitialized: boolean;
  /** The timeout of `server/discover`. */
  readonly discoverTime: number;
}

/** Connects with one of the handshakes; rejects with the error of the SDK or of the network. */
export async function connect(options: SessionOptions, events: SessionEvents, begin: Begin): Promise<Session> {
  const { sdk } = await import("./sdk.ts");
  const { transport, wasUnanswered, stopTimers } = createTransport(sdk, options, {
    stuck: () => lost(new Error(stuckStream), "at once"),
    answered: () => onAnswered(),
    reopened: () => over.signal.aborted || readAgain(),
    initialized: () => (begin.isInitialized = true),
    problem: (error) => over.signal.aborted || events.problem(error),
  });
  const over = new AbortController();
  const client = createClient(sdk, options, {
    events: { ...events, listChanged: (list) => over.signal.aborted || events.listChanged(list) },
    negotiation:
      begin.handshake === "initialize"
        ? { mode: "legacy" }
        : { mode: "auto", probe: { timeoutMs: Math.min(begin.discoverTime, options.limits.connectTime) } },
  });
  client.onclose = () => lost(new Error("The connection was closed."));
  let told: unknown;
  client.onerror = (error) => {
    // The SDK reports some twice.
    if (error === told) return;
    told = error;
    if (transport.sessionId !== undefined && isExpired(error)) lost(error);
    else if (isMalformed(error)) events.problem(error);
  };
  let onAnswered = (): void => void (isAnswered = true);
  let isAnswered = false;
  let news: News | undefined;
  let running = 0;
  let state: "up" | "lost" | "closed" = "up";

  /** Earlier requests may still be answered, unless their own stream is stuck. */
  function lost(reason: unknown, how: "at once" | "in time" = "in time"): void {
    if (state === "closed") return;
    const isNew = state === "up";
    state = "lost";
    over.abort(reason);
    news?.close();
    if (how === "at once" || running === 0) void shut();
    if (isNew) events.lost(reason);
  }

  /** Reports all lists that the server declares as changing. */
  function readAgain(): void {
    const offered = client.getServerCapabilities();
    for (const list of ["tools", "resources", "prompts"] as const) {
      if (offered?.[list]?.listChanged) events.listChanged(list);
    }
  }

  /** A session's lists are read after its notification stream was answered; if that takes long, before and after. */
  function untilAnswered({ clock }: SessionOptions): Promise<void> {
    if (isAnswered || client.getProtocolEra() === "modern") return Promise.resolve();
    return new Promise((resolve) => {
      const stop = clock.after(newsTime, () => {
        onAnswered = () => over.signal.aborted || readAgain();
        resolve();
      });
      onAnswered = () => {
        stop();
        resolve();
      };
    });
  }

  function shut(): Promise<void> {
    state = "closed";
    over.abort();
    stopTimers();
    news?.close();
    events.ended();
    return client.close();
  }

  async function start(): Promise<void> {
    const { authorizationResponse, follow, signal, limits } = options;
    const timeout = limits.connectTime;
    signal?.throwIfAborted();
    if (authorizationResponse) await transport.finishAuth(authorizationResponse as never);
    signal?.throwIfAborted();
    await client.connect(holdResults(transport), { timeout });
    if (!follow) return;
    await untilAnswered(options);
    news = await listen(client, { ...options, lost, reopened: readAgain, problem: events.problem, timeout });
  }

  try {
    await unlessAborted(start(), options.signal);
  } catch (error) {
    state = "closed";
    if (transport.sessionId !== undefined) await sayGoodbye(transport, options);
    await shut();
    // During the SDK's version negotiation, the client does not own the transport yet.
    await transport.close();
    throw error;
  }

  // In a page the SDK treats a server as an older one if the request for its revision got no response, because CORS may
  // forbid that request. But the server may only have been restarting. And a server that serves older clients without
  // sessions has no notification stream for them, although newer clients receive its notifications.
  const isHeard = client.getProtocolEra() === "modern" || transport.sessionId !== undefined;
  return {
    client,
    over: over.signal,
    isDoubtful:
      options.follow && !isHeard && (wasUnanswered() || (begin.handshake === "initialize" && hasNews(client))),
    async request(...given) {
      running++;
      try {
        return await send(client, ...given);
      } finally {
        running--;
        if (state === "lost" && running === 0) void shut();
      }
    },
    follow: (uris) => news?.follow(uris),
    async close() {
      if (state === "closed") return;
      const isUp = state === "up";
      state = "closed";
      over.abort();
      if (isUp && transport.sessionId !== undefined) await sayGoodbye(transport, options);
      await shut();
    },
  };
}

/** How long the first read of the lists waits for the notification stream. */
const newsTime = 200;

const stuckStream = "A stream of its session ended, and cannot be opened again.";

async function send(client: Client, ...[method, params, options]: Parameters<SendRequest>): Promise<Reply> {
  const { signal, timeout, inputSchema, onProgress } = options;
  const given = {
    timeout,
    allowInputRequired: true,
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onprogress: (news: Progress) => onProgress(news.progress, news.total, news.message) } : {}),
  };
  const result: unknown = inputSchema
    ? // The SDK repeats in headers what the tool's schema wants repeated there.
      await client.callTool(params as never, { ...given, toolDefinition: { ...params, inputSchema } as never })
    : await client.request({ method, params }, anyResult, given);
  const text = heldText(result);
  return text === undefined ? { inputRequired: result as JsonObject } : { text };
}

/** Closing does not wait long for a server that fails to answer. */
async function sayGoodbye(transport: StreamableHTTPClientTransport, { clock, limits }: SessionOptions): Promise<void> {
  let stop = () => {};
  const enough = new Promise<void>((resolve) => (stop = clock.after(limits.farewellTime, resolve)));
  await Promise.race([transport.terminateSession().catch(() => {}), enough]);
  stop();
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The list was read before. */
const anyResult = {
  "~standard": { version: 1, vendor: "pagewire", validate: (value: unknown) => ({ value }) },
} as const;
