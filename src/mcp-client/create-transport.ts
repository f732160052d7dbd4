import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { backoff, stableTime } from "./backoff.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";
import { askedWait, isBusyStatus, isForNotifications, retryNotificationStream } from "./notification-stream.ts";
import type { NotificationStreamEvents } from "./notification-stream.ts";
import { PagewireError, parseJsonObject } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";
import { unlessAborted } from "../toolbox/index.ts";

/**
 * A fetch that handles a session which the server opens after the request was aborted, and which would leak: such a
 * request is not aborted with its signal. The server has a moment to answer, and the session is then ended.
 */
function endLateSessions(
  fetch: typeof globalThis.fetch,
  { clock, limits }: Pick<SessionOptions, "clock" | "limits">,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { signal } = init;
    if (!signal || signal.aborted || !asksForSession(init)) return fetch(input, init);
    const cutting = new AbortController();
    const cut = () => cutting.abort(signal.reason);

    async function endLate(answer: Promise<Response>): Promise<void> {
      const stop = clock.after(limits.farewellTime, cut);
      try {
        const response = await answer;
        await response.body?.cancel();
        const session = response.headers.get("mcp-session-id");
        if (session === null) return;
        // The SDK gives a Headers object.
        const sent = init.headers as unknown as Iterable<[string, string]>;
        const { "content-type": _type, ...headers } = Object.fromEntries(sent);
        const { body: _body, ...rest } = init;
        await fetch(input, {
          ...rest,
          method: "DELETE",
          headers: { ...headers, "mcp-session-id": session },
          signal: cutting.signal,
        });
      } finally {
        stop();
      }
    }

    const answer = fetch(input, { ...init, signal: cutting.signal });
    try {
      const response = await unlessAborted(answer, signal);
      signal.throwIfAborted();
      signal.addEventListener("abort", cut);
      return response;
    } catch (error) {
      if (signal.aborted) endLate(answer).catch(() => {});
      throw error;
    }
  };
}

function asksForSession({ body }: RequestInit): boolean {
  if (typeof body !== "string" || !body.includes('"initialize"')) return false;
  return parseJsonObject(body, deepest)?.["method"] === "initialize";
}

/** The max nesting of the client's own messages. */
const deepest = 64;

/**
 * A fetch whose responses fail if one message in them, an event or the whole body, is too large. A request without a
 * signal, such as at sign-in, has the timeout of connecting.
 */
function boundedFetch(fetch: typeof globalThis.fetch, limits: McpLimits): typeof globalThis.fetch {
  const { frameBytes: max, connectTime } = limits;
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(connectTime) });
    const { body, headers } = response;
    if (!body) return response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    return new Response(body.pipeThrough(limitMessages(max, isStream)), response);
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function limitMessages(max: number, isStream: boolean): TransformStream<Uint8Array<ArrayBuffer>> {
  let size = 0;
  let lineSize = 0;
  let last = 0;

  /** An event ends with an empty line. */
  function count(chunk: Uint8Array): void {
    if (!isStream) return void (size += chunk.length);
    for (const byte of chunk) {
      const isBreak = byte === lineFeed || byte === carriageReturn;
      if (isBreak && lineSize === 0 && !(byte === lineFeed && last === carriageReturn)) size = 0;
      else size++;
      lineSize = isBreak ? 0 : lineSize + 1;
      last = byte;
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      count(chunk);
      if (size <= max) return controller.enqueue(chunk);
      controller.error(
        new PagewireError("frame-too-large", `The server sent a message of more than ${max} bytes (limit frameBytes).`),
      );
    },
  });
}

export type Sdk = (typeof import("./sdk.ts"))["sdk"];

export interface TransportEvents extends NotificationStreamEvents {
  /** The stream of a session or response has ended and cannot be reopened. */
  stuck(): void;
  /** Whether a call waits for its answer. */
  isCalling(): boolean;
}

/** The min delay before a stream is opened again, even if the server asks for less. */
const shortestWait = 100;
const longestWait = 2 ** 31 - 1;

/** The SDK's HTTP transport with our limits and clock; `stopTimers` ends its retries. */
export function createTransport(sdk: Sdk, options: SessionOptions, { stuck, isCalling, ...events }: TransportEvents) {
  const { url, headers, authProvider, follow, limits, clock, random, fetch: given = fetch } = options;
  const waits = new Set<() => void>();
  const bounded = endLateSessions(boundedFetch(given, limits), options);
  /** The time until which the server wants to be left alone. */
  let restUntil = 0;
  /** The time at which a stream was last opened again, and the number of those that ended soon after. */
  let openedAt = -Infinity;
  let shortLived = 0;

  let busy: number | undefined;

  const noting: typeof fetch = async (input, init) => {
    const response = await bounded(input, init);
    const isForServer = init?.method === "POST" && String(input) === url;
    if (isForServer) busy = isBusyStatus(response) ? response.status : undefined;
    restUntil = Math.max(restUntil, clock.now() + askedWait(response));
    return response;
  };

  /** The delay of a retry: no shorter than the server asks for. */
  const waitBefore = (attempt: number) => Math.max(0, restUntil - clock.now()) + backoff(attempt, random);

  const forNews = {
    ...events,
    waitBefore,
    reopened() {
      openedAt = clock.now();
      events.reopened();
    },
  };
  const transport: StreamableHTTPClientTransport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: (follow ? retryNotificationStream(noting, options, forNews) : withoutNotifications(noting, url)) as never,
    ...(headers ? { requestInit: { headers: { ...headers } } } : {}),
    ...(authProvider ? { authProvider } : {}),
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 2,
    },
    reconnectionScheduler(reconnect, delay, attempt) {
      // Any stream may end, and is reopened once.
      if (attempt > 0) return stuck();
      // It may be the stream of an answer, which a server may end as often as it likes: it has said when to come again.
      const isForNews = !isCalling();
      // Some end as soon as they are opened.
      if (isForNews) shortLived = clock.now() - openedAt < stableTime ? shortLived + 1 : 0;
      const wait = Math.max(shortestWait, delay) + (isForNews ? backoff(shortLived, random) : 0);
      const stop = clock.after(Math.min(wait, longestWait), () => {
        waits.delete(stop);
        if (isForNews) openedAt = clock.now();
        reconnect();
      });
      waits.add(stop);
      return stop;
    },
  });
  return {
    transport,
    waitBefore,
    /** The status by which the server asked to come later, where that was its last answer. */
    busyStatus: () => busy,
    stopTimers() {
      for (const stop of waits) stop();
    },
  };
}

/** A fetch that answers 405 to requests for the notification stream. Other streams work as usual. */
function withoutNotifications(fetch: typeof globalThis.fetch, url: string): typeof globalThis.fetch {
  return async (input, init) =>
    isForNotifications(url, input, init) ? new Response(null, { status: 405 }) : fetch(input, init);
}
