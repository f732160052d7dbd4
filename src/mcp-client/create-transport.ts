import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import { asksForSession, endLateSessions } from "./end-late-sessions.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";
import { isForNews, patientNews } from "./patient-news.ts";
import type { NewsEvents } from "./patient-news.ts";

export type Sdk = (typeof import("./sdk.ts"))["sdk"];

export interface TransportEvents extends NewsEvents {
  /** The stream of a session, or of an answer, ended and cannot be opened again. */
  stuck(): void;
  /** The server is asked to begin a session. */
  initialized(): void;
}

/** Before a server's stream is opened again, whatever the server wants. */
const shortestWait = 100;
const longestWait = 2 ** 31 - 1;

/** The SDK's transport by HTTP, with our bounds and our clock; `stopTimers` keeps it from trying anything more. */
export function createTransport(sdk: Sdk, options: SessionOptions, events: TransportEvents) {
  const { stuck, initialized } = events;
  const { url, headers, authProvider, follow, limits, clock, fetch: given = fetch } = options;
  const waits = new Set<() => void>();
  const bounded = endLateSessions(boundedFetch(given, limits), options);
  let wasUnanswered = false;
  const noting: typeof fetch = async (input, init) => {
    if (init && asksForSession(init)) initialized();
    try {
      return await bounded(input, init);
    } catch (error) {
      wasUnanswered ||= init?.method === "POST";
      throw error;
    }
  };
  const transport: StreamableHTTPClientTransport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: (follow ? patientNews(noting, options, events) : withoutNews(noting, url)) as never,
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
    /** Whether something was posted to which no answer began. */
    wasUnanswered: () => wasUnanswered,
    stopTimers() {
      for (const stop of waits) stop();
    },
  };
}

/** A fetch that opens no stream for news: who asks for one is told that there is none. Other streams go on. */
function withoutNews(fetch: typeof globalThis.fetch, url: string): typeof globalThis.fetch {
  return async (input, init) =>
    isForNews(url, input, init) ? new Response(null, { status: 405 }) : fetch(input, init);
}
