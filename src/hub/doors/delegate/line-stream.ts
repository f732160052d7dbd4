import type { ServerResponse } from "node:http";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import { alwaysHeaders } from "../../http/exchange.ts";

/** An answer of lines, each of them JSON, which leave as they are written. */
export interface LineStream {
  /** Whether a line was written: from then on the status can say nothing any more. */
  readonly hasBegun: boolean;
  write(line: JsonObject): void;
  end(line: JsonObject): void;
}

export interface LineStreamOptions {
  readonly limits: Pick<Limits, "queuedBytes" | "requestTime">;
  /** To be called when something was written: what all of a principal leave unread has a bound, too. */
  readonly onWritten: () => void;
}

/** Nothing that is written is left out; whoever leaves too much of it unread, or leaves it for too long, is hung up on. */
export function createLineStream(response: ServerResponse, { limits, onWritten }: LineStreamOptions): LineStream {
  const { queuedBytes, requestTime } = limits;

  function textOf(line: JsonObject): string {
    if (!response.headersSent)
      response.writeHead(200, {
        ...alwaysHeaders,
        "Content-Type": "application/x-ndjson",
        // A proxy that gathers what it passes on would hold the lines back.
        "X-Accel-Buffering": "no",
      });
    return `${JSON.stringify(line)}\n`;
  }

  response.on("timeout", () => response.destroy());
  response.on("drain", () => response.setTimeout(0));
  return {
    get hasBegun() {
      return response.headersSent;
    },
    write(line) {
      if (response.destroyed) return;
      const wasFull = response.writableNeedDrain;
      // The time runs from when it was last empty, however much is written meanwhile.
      if (!response.write(textOf(line)) && !wasFull) response.setTimeout(requestTime);
      if (response.writableLength > queuedBytes) response.destroy();
      onWritten();
    },
    end(line) {
      if (response.destroyed) return;
      response.end(textOf(line));
    },
  };
}
