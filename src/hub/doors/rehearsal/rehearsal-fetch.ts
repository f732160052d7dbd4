// The rehearsal model without a socket, for whoever takes a fetch of one's own.
import { createAnswerer } from "./create-answerer.ts";
import type { RehearsalOptions, Reply } from "./create-answerer.ts";
import { defaultDelay, wait } from "./pace.ts";

/** A fetch that asks the rehearsal model, at whatever base URL; it never touches the network. */
export function createRehearsalFetch(options: RehearsalOptions = {}): typeof fetch {
  const { delay = defaultDelay } = options;
  const answerer = createAnswerer(options);
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    request.signal.throwIfAborted();
    const { status, type, parts } = await answerer.answer({
      method: request.method,
      path: pathname,
      isAnywhere: true,
      query: searchParams,
      body: request.body ? await request.text() : "",
      header: (name) => request.headers.get(name) ?? undefined,
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
