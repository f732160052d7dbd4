// The rehearsal model without a socket, for whoever takes a fetch of one's own.
import type { Rehearsal } from "./create-rehearsal.ts";
import { defaultDelay, wait } from "./pace.ts";
import type { Reply } from "./reply.ts";

export interface RehearsalFetchOptions {
  readonly rehearsal: Rehearsal;
  /** Milliseconds between the pieces of a stream; a few when left out, so that one sees it stream. */
  readonly delay?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A fetch that asks the rehearsal model, at whatever base URL; it never touches the network. */
export function createRehearsalFetch({ rehearsal, delay = defaultDelay, now }: RehearsalFetchOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    request.signal.throwIfAborted();
    const { status, type, parts } = await rehearsal.answer({
      method: request.method,
      path: pathname,
      isAnywhere: true,
      query: search,
      body: request.body ? await request.text() : "",
      headers: Object.fromEntries(request.headers),
      at: now(),
    });
    request.signal.throwIfAborted();
    const body = parts.length === 1 ? parts[0] : streamOf(parts, delay, request.signal);
    return new Response(body ?? null, { status, headers: { "Content-Type": type } });
  };
}

function streamOf(parts: Reply["parts"], delay: number, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const left = parts.values();
  return new ReadableStream({
    start(controller) {
      signal.addEventListener("abort", () => controller.error(signal.reason), { once: true });
    },
    async pull(controller) {
      await wait(delay, signal);
      const next = left.next();
      if (signal.aborted) return;
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
}
