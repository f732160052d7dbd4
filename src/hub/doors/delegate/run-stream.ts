import type { ServerResponse } from "node:http";
import type { Clock } from "../../../link/index.ts";
import { chunkLogger, parseJson, textOf } from "../../../wire/index.ts";
import type { JsonObject, Limits, Outcome, Payload } from "../../../wire/index.ts";
import { failureOfLoss } from "./failure.ts";
import { createLineStream } from "./line-stream.ts";
import type { LineStream } from "./line-stream.ts";
import type { DelegateEnd } from "./read-end.ts";
import { respondFailure } from "./respond.ts";
import { letGoAtEnd } from "./run.ts";
import type { DelegateRun } from "./run.ts";
import { watchSilence } from "./watch-silence.ts";

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
        acked: silence.heard,
        progress(progress, total, message) {
          silence.heard();
          if (call.wantsProgress) stream.write(progressLine(progress, total, message));
        },
        log(_, data, logger) {
          silence.heard();
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
