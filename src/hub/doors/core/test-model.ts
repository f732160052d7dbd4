// Asks a hub's provider whether a model answers.
import { AiCore } from "../../../ai/index.ts";
import type { AiHttpError } from "../../../ai/index.ts";
import { parseJsonObject, isJsonObject } from "../../../wire/index.ts";
import type { Json } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import { createMeter } from "./meter.ts";

export interface ModelTest {
  readonly model: string;
  readonly isOk: boolean;
  /** How it failed, in words. */
  readonly problem?: string;
  /** The beginning of its answer. */
  readonly answer?: string;
  readonly milliseconds: number;
  readonly tokens: number;
}

export interface TestModelOptions {
  readonly ai: ResolvedAi;
  readonly model: string;
  readonly fetch: typeof fetch;
  /** A version of a provider's failure that is safe to show. */
  readonly failed: (failure: unknown) => Promise<Response>;
}

const testTime = 20_000;
/** Models that think first spend some of it on that. */
const testTokens = 256;
const maxWords = 500;

/** Sends one small request. Never rejects because of the provider. */
export async function testModel({ ai, model, fetch: send, failed }: TestModelOptions): Promise<ModelTest> {
  const core = new AiCore();
  core.provider = ai.provider;
  const meter = createMeter({ fetch: send, obstacle: () => undefined, failed });
  const signal = AbortSignal.timeout(testTime);
  const began = performance.now();
  const { retries: _, ...fixed } = ai.fixedFor(undefined);
  const maxTokens = Math.min(testTokens, ai.maxTokens);
  const answer = await core.send("Answer with one word: ready", {
    ...fixed,
    model,
    maxTokens,
    signal,
    fetch: meter.fetch,
  });
  meter.written(answer?.length ?? 0);
  meter.reported(core.usage);
  const milliseconds = Math.round(performance.now() - began);
  const about = { model, milliseconds, tokens: meter.tokens() };
  if (answer !== null) return { ...about, isOk: true, answer: answer.slice(0, maxWords) };
  const { error } = core;
  const late = `It did not answer within ${testTime / 1000} s.`;
  return { ...about, isOk: false, problem: error === null ? late : ai.mask(failureWords(error)) };
}

/** The provider's own message, from any of the forms that errors have. */
export function failureWords(error: AiHttpError | Error): string {
  if (error instanceof Error) return error.message.slice(0, maxWords);
  const { status, statusText, body } = error;
  const found = messageIn(parseJsonObject(body, 8)) ?? (statusText || body);
  return `${found.trim().slice(0, maxWords) || "It said nothing more."} (HTTP ${status})`;
}

function messageIn(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  return messageIn(value["error"]) ?? messageIn(value["message"]);
}
