import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";

export type Sdk = typeof import("@modelcontextprotocol/client");

export interface TransportEvents {
  /** The stream of a session, or of an answer, ended and cannot be opened again. */
  stuck(): void;
}

/** Before a server's stream is opened again, whatever the server wants. */
const shortestWait = 100;
const longestWait = 2 ** 31 - 1;

/** The SDK's transport by HTTP, with our bounds and our clock; `stopTimers` keeps it from trying anything more. */
export function createTransport(sdk: Sdk, options: SessionOptions, { stuck }: TransportEvents) {
  const { url, headers, authProvider, follow, limits, clock, fetch: given = fetch } = options;
  const waits = new Set<() => void>();
  const bounded = boundedFetch(given, limits);
  const transport: StreamableHTTPClientTransport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: (follow ? bounded : withoutNews(bounded, url)) as never,
    ...(headers ? { requestInit: { headers: { ...headers } } } : {}),
    ...(authProvider ? { authProvider } : {}),
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 2,
    },
    reconnectionScheduler(reconnect, delay, attempt) {
      // Any stream may end, and is opened again.
      if (attempt > 0) return stuck();
      const stop = clock.after(Math.min(Math.max(shortestWait, delay), longestWait), () => {
        waits.delete(stop);
        reconnect();
      });
      waits.add(stop);
      return stop;
    },
  });
  return {
    transport,
    stopTimers() {
      for (const stop of waits) stop();
    },
  };
}

/** A fetch that opens no stream for news: who asks for one is told that there is none. Other streams go on. */
function withoutNews(fetch: typeof globalThis.fetch, url: string): typeof globalThis.fetch {
  return async (input, init) => {
    // The SDK gives a Headers object.
    const isForNews =
      init?.method === "GET" &&
      String(input) === url &&
      (init.headers as unknown as Headers).get("last-event-id") === null;
    return isForNews ? new Response(null, { status: 405 }) : fetch(input, init);
  };
}
