// Counts what one answer uses, at the one place that all of its requests to the provider go through.
import type { AiUsage } from "../../../ai/index.ts";

export interface Meter {
  readonly fetch: typeof fetch;
  /** The provider said what the answer has used so far. */
  reported(usage: AiUsage | null): void;
  /** All that the model has written of this round, and called before it, is so long. */
  written(length: number): void;
  /** What the provider said, and what the texts come to that it did not say anything of. */
  tokens(): number;
}

export interface MeterOptions {
  readonly fetch: typeof fetch;
  /** Why no further request may be made, as an answer. */
  readonly obstacle: () => Response | undefined;
  /** What may be told of an answer that is no success, or of there being none. */
  readonly failed: (failure: unknown) => Promise<Response>;
}

const charactersPerToken = 4;
/** What an image, or anything else in base64, is taken for. */
const tokensOfData = 1000;
const data = /[A-Za-z0-9+/]{1000,}={0,2}/g;

export function createMeter({ fetch: send, obstacle, failed }: MeterOptions): Meter {
  let usage = 0;
  /** Of requests that the provider has not said anything of. */
  let asked = 0;
  /** How long what was written is, and how much of that came since the provider last said something. */
  let length = 0;
  let fresh = 0;

  return {
    async fetch(input, init) {
      const refusal = obstacle();
      if (refusal) return refusal;
      const tokens = estimate(typeof init?.body === "string" ? init.body : "");
      asked += tokens;
      const answered = await send(input, init).catch((error: unknown) => {
        // A request that was stopped had perhaps been taken.
        if (init?.signal?.aborted === true) throw error;
        return error;
      });
      if (answered instanceof Response && answered.ok) return answered;
      asked = Math.max(0, asked - tokens);
      return failed(answered);
    },
    reported(given) {
      if (!given || given.totalTokens <= usage) return;
      usage = given.totalTokens;
      asked = 0;
      fresh = 0;
    },
    written(now) {
      // It is shorter where another round began.
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
