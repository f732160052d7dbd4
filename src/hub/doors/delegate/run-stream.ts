import type { ServerResponse } from "node:http";
import type { Clock } from "../../../link/index.ts";
import { chunkLogger, parseJson, textOf } from "../../../wire/index.ts";
import type { JsonObject, Limits, Outcome, Payload } from "../../../wire/index.ts";
import { failureOfLoss, respondFailure } from "./failure.ts";
import type { DelegateEnd } from "./read-end.ts";
import { letGoAtEnd } from "./run.ts";
import type { DelegateRun } from "./run.ts";
import { alwaysHeaders } from "../../http/exchange.ts";

export interface StreamNeeds {
  readonly limits: Limits;
  readonly clock: Clock;
  /** Called after each write. */
  readonly onWritten: () => void;
}

/**
 * Runs a call, and forwards the chunks of its answer as they arrive. A failure before the first chunk is a plain error.
 */
export function runStream(run: DelegateRun, { limits, clock, onWritten }: StreamNeeds): Promise<void> {
  const { call, response, time } = run;
  const stream = createLineStream(response, { limits, onWritten });
  let isSilent = false;
  let passed = 0;

  return new Promise((resolve) => {
    const silence = watchSilence(clock, time, () => {
      isSilent = true;
      handle.cancel(`The tab said nothing for ${time / 1000} seconds.`);
    });
    const handle = run.begin(
      {
        ended(outcome) {
          silence.stop();
          const end = run.endOf(isSilent ? silent(outcome) : outcome);
          // A replayed outcome has no chunks: they are not stored.
          conclude(stream, response, outcome.replay ? end : wholeOf(end, passed));
          resolve();
        },
        acked: silence.reset,
        progress(progress, total, message) {
          silence.reset();
          if (call.wantsProgress) stream.write(progressLine(progress, total, message));
        },
        log(_, data, logger) {
          silence.reset();
          if (logger !== chunkLogger) return;
          passed++;
          stream.write({ type: "chunk", delta: deltaOf(data, limits.jsonDepth) });
        },
      },
      limits.callTimeMost,
    );
    letGoAtEnd(run, handle, () => {
      silence.stop();
      resolve();
    });
  });
}

/** The answer if all its chunks arrived, or the failure. */
function wholeOf(end: DelegateEnd, passed: number): DelegateEnd {
  if ("failure" in end || end.pieces <= passed) return end;
  return { failure: failureOfLoss(end.pieces - passed, end.pieces) };
}

function conclude(stream: LineStream, response: ServerResponse, end: DelegateEnd): void {
  if ("fields" in end) return stream.end({ type: "done", result: end.fields });
  const { detail, ...body } = end.failure.body;
  if (stream.hasBegun) stream.end({ type: "error", error: detail, ...body });
  else respondFailure(response, end.failure);
}

/** A call that was cancelled because of silence. */
function silent(ended: Outcome): Outcome {
  return ended.outcome === "cancelled" ? { ...ended, outcome: "deadline-exceeded", code: "deadline-exceeded" } : ended;
}

function progressLine(progress: number, total: number | undefined, message: string | undefined): JsonObject {
  const more = { ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) };
  return { type: "progress", progress, ...more };
}

/** A text chunk as it is; any other value as JSON. */
function deltaOf(data: Payload, jsonDepth: number): string {
  const text = textOf(data);
  const value = parseJson(text, jsonDepth);
  return typeof value === "string" ? value : text;
}

/** Fires once after a period of silence. */
interface SilenceWatch {
  reset(): void;
  stop(): void;
}

export function watchSilence(clock: Clock, time: number, onSilent: () => void): SilenceWatch {
  let last = clock.now();
  let stop = clock.after(time, look);

  // Activity can come thousands of times: the timer checks when it fires, and is not reset each time.
  function look(): void {
    const left = last + time - clock.now();
    if (left > 0) stop = clock.after(left, look);
    else onSilent();
  }

  return {
    reset() {
      last = clock.now();
    },
    stop: () => stop(),
  };
}

/** A response of JSON lines, each sent as soon as it is written. */
interface LineStream {
  /** Whether a line was sent: after that the HTTP status is final. */
  readonly hasBegun: boolean;
  write(line: JsonObject): void;
  end(line: JsonObject): void;
}

interface LineStreamOptions {
  readonly limits: Pick<Limits, "queuedBytes" | "requestTime">;
  /** Called after each write: the unread bytes of each principal are limited, too. */
  readonly onWritten: () => void;
}

/** Never drops a line; disconnects a client that leaves too much unread, or leaves it unread for too long. */
function createLineStream(response: ServerResponse, { limits, onWritten }: LineStreamOptions): LineStream {
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
