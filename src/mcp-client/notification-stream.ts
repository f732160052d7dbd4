// A session's notification stream, which a server may refuse for the moment. The SDK requests it once; here it is retried
// until the server opens it or replies that it has none.
import { isPassing, streamError } from "./failures.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";

export interface NotificationStreamEvents {
  /** The server has answered the first request for its stream; undefined for a failure that may pass. */
  answered(answer: Response | undefined): void;
  /** The stream is open again without resuming: notifications in between are lost. */
  reopened(): void;
  problem(error: unknown): void;
}

type Fetch = typeof fetch;

interface RetryNeeds extends NotificationStreamEvents {
  /** The delay before another attempt. */
  waitBefore(attempt: number): number;
}

/** A fetch that retries a request for the notification stream until the server has a final answer. */
export function retryNotificationStream(
  fetch: Fetch,
  options: SessionOptions,
  { answered, reopened, problem, waitBefore }: RetryNeeds,
): Fetch {
  const { url, clock } = options;
  let isFirst = true;

  /** Returns an error if the request should be retried. */
  async function ask(isStart: boolean, ...request: Parameters<Fetch>): Promise<Response | Error> {
    try {
      const response = await fetch(...request);
      const isPage = response.ok && !isStream(response);
      if (!isPage && !isPassing(response.status)) return response;
      await response.body?.cancel();
      // Not a stream but, for example, a web page: the server has none.
      return isPage
        ? new Response(null, { status: 405 })
        : streamError(url, `it answered ${response.status}. It is asked again`);
    } catch (error) {
      // For a resumed stream, the SDK treats this as a lost connection.
      if (!isStart || request[1]?.signal?.aborted) throw error;
      return streamError(url, "the connection broke. It is asked again", error);
    }
  }

  return async (input, init) => {
    if (!isForNotifications(url, input, init)) return fetch(input, init);
    const isStart = isFirst;
    isFirst = false;
    for (let attempt = 0; ; attempt++) {
      const answer = await ask(isStart, input, init);
      if (isStart && attempt === 0) answered(answer instanceof Error ? undefined : answer);
      if (!(answer instanceof Error)) {
        // The server may have changed or forgotten the session: reading its lists will show that.
        if (attempt > 0 || (!isStart && answer.ok)) reopened();
        return answer;
      }
      if (attempt === 0) problem(answer);
      await pause(clock, waitBefore(attempt), init?.signal);
    }
  };
}

/** Whether the request is for a new stream, not for resuming one. */
export function isForNotifications(url: string, ...[input, init]: Parameters<Fetch>): boolean {
  // The SDK passes a Headers object.
  const headers = init?.headers as unknown as Headers | undefined;
  return init?.method === "GET" && String(input) === url && headers?.get("last-event-id") === null;
}

/** Whether a response, to any request, asks to come later. */
export function isBusyStatus({ status, headers }: Response): boolean {
  return status === 429 || (status === 503 && headers.get("retry-after") !== null);
}

/** How long a response asks to wait before another request, in milliseconds. */
export function askedWait({ status, headers }: Response, now = Date.now()): number {
  const asked = headers.get("retry-after");
  if (asked === null || !isPassing(status)) return 0;
  const wait = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now;
  return wait > 0 ? Math.min(wait, longestAskedWait) : 0;
}

const longestAskedWait = 60 * 60_000;

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Rejects with the signal's reason when that aborts. */
function pause(clock: SessionOptions["clock"], wait: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      stop();
      reject(signal?.reason as Error);
    };
    const stop = clock.after(wait, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
