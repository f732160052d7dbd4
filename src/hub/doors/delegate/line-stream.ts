import type { ServerResponse } from "node:http";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import { alwaysHeaders } from "../../http/exchange.ts";

/** A response of JSON lines, each sent as soon as it is written. */
export interface LineStream {
  /** Whether a line was sent: after that the HTTP status is final. */
  readonly hasBegun: boolean;
  write(line: JsonObject): void;
  end(line: JsonObject): void;
}

export interface LineStreamOptions {
  readonly limits: Pick<Limits, "queuedBytes" | "requestTime">;
  /** Called after each write: the unread bytes of each principal are limited, too. */
  readonly onWritten: () => void;
}

/** Never drops a line; disconnects a client that leaves too much unread, or leaves it unread for too long. */
export function createLineStream(response: ServerResponse, { limits, onWritten }: LineStreamOptions): LineStream {
  const { queuedBytes, requestTime } = limits;

  function textOf(line: JsonObject): string {
    if (!response.headersSent)
      response.writeHead(200, {
        ...alwaysHeaders,
        "Content-Type": "application/x-ndjson",
        // A buffering proxy would delay the lines.
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
      // The timeout starts when the buffer fills up; further writes do not extend it.
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
