// Plays an answer's bytes from memory, so that no network is in what is measured.
import type { Answer } from "./answer.ts";

/** One event each time that the reader asks. */
export function streamOf({ events }: Answer): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const event = events[next++];
      if (event) controller.enqueue(event);
      else controller.close();
    },
  });
}

/** A fetch that answers every request with this answer. */
export function fetchOf(answer: Answer): typeof fetch {
  return () =>
    Promise.resolve(
      new Response(streamOf(answer), { headers: { "Content-Type": "text/event-stream; charset=utf-8" } }),
    );
}
