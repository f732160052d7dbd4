import { PagewireError } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";

/**
 * A fetch whose answers end with an error when one message in them, an event or the whole body, is too large. What is
 * asked without a signal, as at a sign-in, has as long as connecting may take.
 */
export function boundedFetch(fetch: typeof globalThis.fetch, limits: McpLimits): typeof globalThis.fetch {
  const { frameBytes: most, connectTime } = limits;
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(connectTime) });
    const { body, headers } = response;
    if (!body) return response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    return new Response(body.pipeThrough(limitMessages(most, isStream)), response);
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function limitMessages(most: number, isStream: boolean): TransformStream<Uint8Array<ArrayBuffer>> {
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
      if (size <= most) return controller.enqueue(chunk);
      controller.error(
        new PagewireError(
          "frame-too-large",
          `The server sent a message of more than ${most} bytes (limit frameBytes).`,
        ),
      );
    },
  });
}
