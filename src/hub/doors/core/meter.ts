// Counts the tokens of one answer, at the one place that all of its provider requests pass.
import type { AiUsage } from "../../../ai/index.ts";

export interface Meter {
  readonly fetch: typeof fetch;
  /** Takes the usage that the provider has reported for the answer so far. */
  reported(usage: AiUsage | null): void;
  /** Takes the length of all text and calls that the model has written in this round. */
  written(length: number): void;
  /** Tokens the provider reported, plus our estimate for text it did not count. */
  tokens(): number;
}

export interface MeterOptions {
  readonly fetch: typeof fetch;
  /** The refusal of further requests, as a response; undefined if they are allowed. */
  readonly obstacle: () => Response | undefined;
  /** A version of a failed response, or of a network error, that is safe to show. */
  readonly failed: (failure: unknown) => Promise<Response>;
}

const charactersPerToken = 4;
/** More than any answer has. */
const mostTokens = 1_000_000_000;
/** The estimate for an image, or anything else in base64. */
const tokensOfData = 1000;
const data = /[A-Za-z0-9+/]{1000,}={0,2}/g;

export function createMeter({ fetch: send, obstacle, failed }: MeterOptions): Meter {
  let usage = 0;
  /** The estimate for requests that the provider has not counted yet. */
  let asked = 0;
  /** The length of this round's text, and how much text came since the provider's last report. */
  let length = 0;
  let fresh = 0;

  return {
    async fetch(input, init) {
      const refusal = obstacle();
      if (refusal) return refusal;
      const tokens = estimate(typeof init?.body === "string" ? init.body : "");
      asked += tokens;
      const answered = await send(input, init).catch((error: unknown) => {
        // An aborted request may have reached the provider, so it stays counted.
        if (init?.signal?.aborted === true) throw error;
        return error;
      });
      if (answered instanceof Response && answered.ok) return answered;
      asked = Math.max(0, asked - tokens);
      return failed(answered);
    },
    reported(given) {
      const total = given?.totalTokens ?? 0;
      // A server may report anything. Without a count the estimate holds.
      if (!(total > usage && Number.isFinite(total))) return;
      usage = Math.min(Math.ceil(total), mostTokens);
      asked = 0;
      fresh = 0;
    },
    written(now) {
      // The length is smaller when a new round has started.
      fresh += Math.max(0, now - length);
      length = now;
    },
    tokens: () => usage + asked + Math.ceil(fresh / charactersPerToken),
  };
}

function estimate(text: string): number {
  const pieces = text.split(data);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return Math.ceil(length / charactersPerToken) + (pieces.length - 1) * tokensOfData;
}
