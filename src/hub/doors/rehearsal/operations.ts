// Every way of asking the rehearsal model, by vendor, method and path.
import type { Json } from "../../../wire/index.ts";
import { anthropic } from "./formats/anthropic-answer.ts";
import { readForCount as readAnthropicForCount, readMessages } from "./formats/anthropic.ts";
import type { Asked, Exchange, Vendor } from "./formats/format.ts";
import { google } from "./formats/google-answer.ts";
import { readForCount as readGoogleForCount, readGenerate } from "./formats/google.ts";
import {
  anthropicModel,
  anthropicModels,
  googleModel,
  googleModels,
  openAiModel,
  openAiModels,
} from "./formats/models.ts";
import { readChat } from "./formats/openai-chat.ts";
import { azure, openAi } from "./formats/openai-errors.ts";
import { readResponses } from "./formats/openai-responses.ts";
import { Refusal } from "./formats/refusal.ts";
import { promptTokens } from "./model/finish-turn.ts";

/** What a request asks for: something that is there, a count, or an answer of the model. */
export type Operation = {
  readonly vendor: Vendor;
  readonly method: "GET" | "POST";
  /** Where the hub has it, and what a path ends with at any other base URL; both are patterns. */
  readonly base: string;
  readonly rest: string;
  /** Without these the vendor has nothing at this path. */
  readonly query?: string;
} & ({ readonly gives: Json } | { counts(asked: Asked): Json } | { reads(asked: Asked): Exchange });

const rehearsal = "pagewire-rehearsal";
const openAiBase = { vendor: openAi, base: "/openai/v1" };
const anthropicBase = { vendor: anthropic, base: "/anthropic/v1" };
const googleBase = { vendor: google, base: "/google/v1(?:beta)?" };
const post = { method: "POST" } as const;
const get = { method: "GET" } as const;

const operations: readonly Operation[] = [
  {
    vendor: azure,
    ...post,
    base: "/azure",
    rest: "/openai/deployments/[^/]+/chat/completions",
    query: "api-version",
    reads: (asked) => readChat(asked, { isAzure: true }),
  },
  { ...openAiBase, ...post, rest: "/chat/completions", reads: (asked) => readChat(asked, { isAzure: false }) },
  { ...openAiBase, ...post, rest: "/responses", reads: readResponses },
  { ...openAiBase, ...get, rest: "/models", gives: openAiModels },
  { ...openAiBase, ...get, rest: `/models/${rehearsal}`, gives: openAiModel },
  { ...anthropicBase, ...post, rest: "/messages", reads: readMessages },
  {
    ...anthropicBase,
    ...post,
    rest: "/messages/count_tokens",
    counts: (asked) => ({ input_tokens: promptTokens(readAnthropicForCount(asked)) }),
  },
  { ...anthropicBase, ...get, rest: "/models", gives: anthropicModels },
  { ...anthropicBase, ...get, rest: `/models/${rehearsal}`, gives: anthropicModel },
  {
    ...googleBase,
    ...post,
    rest: "/models/[^/:]+:generateContent",
    reads: (asked) => readGenerate(asked, { streams: false }),
  },
  {
    ...googleBase,
    ...post,
    rest: "/models/[^/:]+:streamGenerateContent",
    reads: (asked) => readGenerate(asked, { streams: true }),
  },
  {
    ...googleBase,
    ...post,
    rest: "/models/[^/:]+:countTokens",
    counts: (asked) => ({ totalTokens: promptTokens(readGoogleForCount(asked)) }),
  },
  { ...googleBase, ...get, rest: "/models", gives: googleModels },
  { ...googleBase, ...get, rest: `/models/${rehearsal}`, gives: googleModel },
];

export interface Place {
  readonly path: string;
  /** Whether any base URL will do: then the end of the path says what is asked for. */
  readonly isAnywhere: boolean;
}

export interface Target extends Place {
  readonly method: string;
  readonly query: URLSearchParams;
}

function isAt({ path, isAnywhere }: Place, { base, rest }: Operation): boolean {
  return new RegExp(isAnywhere ? `${rest}$` : `^${base}${rest}$`).test(path);
}

/** What a request asks for; throws what the vendor says where there is nothing. */
export function findOperation(target: Target): Operation {
  const { method, path, query } = target;
  const there = operations.filter((one) => isAt(target, one) && (one.query === undefined || query.has(one.query)));
  const found = there.find((one) => one.method === method);
  if (found) return found;
  if (there.length > 0) throw new Refusal("method", `${path} does not answer to ${method}.`);
  const name = /\/models\/([^/]+)$/.exec(path)?.[1];
  if (name !== undefined && method === "GET")
    throw new Refusal("not-found", `The model '${name}' does not exist; there is only '${rehearsal}'.`, {
      code: "model_not_found",
    });
  throw new Refusal("not-found", `The rehearsal model has nothing at ${path}.`);
}

/** Whose words an error at this path is told in. */
export function vendorOf(place: Place): Vendor {
  const { path } = place;
  const known = operations.find((one) => isAt(place, one) || path.startsWith(`${one.base.split("/", 2).join("/")}/`));
  return known?.vendor ?? openAi;
}
