import { setTimeout as wait } from "node:timers/promises";
import type { Answer } from "./answer.ts";

/** Emits the items one by one, `period` milliseconds apart. */
export async function paced<Item>(items: readonly Item[], period: number, give: (item: Item) => void): Promise<void> {
  const startedAt = performance.now();
  for (const [index, item] of items.entries()) {
    await wait(startedAt + index * period - performance.now());
    give(item);
  }
}

/** A fetch whose answer comes as a model writes it: one event after the other. */
export function pacedFetch({ events }: Answer, period: number): typeof fetch {
  return () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        await paced(events, period, (event) => controller.enqueue(event));
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  };
}
