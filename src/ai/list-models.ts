// The models of a provider, in the forms of all APIs that list theirs. Loaded when they are asked for.
import { unlessAborted } from "../toolbox/index.ts";
import { withFreshKey } from "./fresh-key.ts";
import type { AiModel } from "./model.ts";
import type { IAiProvider } from "./provider.ts";
import { countOf, loose, parse, textOf } from "./providers/read.ts";
import type { Loose } from "./providers/read.ts";
import type { AiRequestOptions } from "./types.ts";
import { readHttpError } from "./whole-answer.ts";

const listTime = 10_000;
const maxCharacters = 8 * 1024 * 1024;
const maxModels = 1000;
const maxName = 200;

/** Models that answer in no conversation. */
const otherModels =
  /embed|whisper|tts|dall-e|image|moderation|realtime|transcribe|audio|sora|davinci|babbage|aqa|imagen|veo|rerank/i;

/** Throws an `AiHttpError` or an `Error` where there is no list. */
export async function listModels(provider: IAiProvider, given: Partial<AiRequestOptions>): Promise<AiModel[]> {
  const { getApiKey, ...options } = given;
  const late = AbortSignal.timeout(listTime);
  const stop = options.signal ? AbortSignal.any([options.signal, late]) : late;
  let asked = "The provider";
  const ask = (keyed: Partial<AiRequestOptions>) => {
    asked = "The provider";
    // A provider of one's own may not heed the signal.
    return unlessAborted(askModels(provider, { ...keyed, signal: stop }, late), stop);
  };
  const getKey: NonNullable<typeof getApiKey> = (refused) => {
    asked = "getApiKey";
    return getApiKey?.(refused) ?? "";
  };
  try {
    if (!getApiKey || options.apiKey !== undefined) return await ask(options);
    return await withFreshKey(getKey, stop, (apiKey) => ask({ ...options, apiKey }));
  } catch (error) {
    if (!stop.aborted || error !== stop.reason) throw error;
    throw new Error(late.aborted ? `${asked} ${tooLate}.` : "The list of models was stopped.", { cause: error });
  }
}

async function askModels(
  provider: IAiProvider,
  given: Partial<AiRequestOptions>,
  late: AbortSignal,
): Promise<AiModel[]> {
  const { apiKey, baseUrl, apiVersion, headers, fetch: own = fetch, signal } = given;
  const options = Object.entries({ apiKey, baseUrl, apiVersion, headers, signal }).filter(
    ([, value]) => value !== undefined,
  );
  const asked = { ...(Object.fromEntries(options) as Partial<AiRequestOptions>), model: "any", stream: false };
  if (provider.models) return [...(await provider.models({ ...asked, fetch: own }))];
  const send = provider.createFetch?.({ ...asked, fetch: own }) ?? own;
  const request = provider.buildRequest([{ role: "user", content: "Hi" }], asked);
  const url = listAddress(request.url);
  const sent = Object.entries(request.headers).filter(([name]) => !/^content-type$/i.test(name));
  const init = { headers: Object.fromEntries(sent), ...(signal && { signal }) };
  const response = await send(url, init).catch((cause: unknown) => {
    const why = late.aborted ? tooLate : "could not be reached";
    throw new Error(`${url} ${why}${cause instanceof Error ? `: ${cause.message}` : "."}`, { cause });
  });
  if (!response.ok) throw await readHttpError(response);
  const body = loose(parse(await readText(response)));
  const list = body?.data ?? body?.models ?? body;
  if (!Array.isArray(list)) throw new Error(`${url} sent no list of models.`);
  return readModels(list);
}

const tooLate = `did not answer within ${listTime / 1000} s`;

/** The end of the address of a request for an answer, after the API's version. */
const answering = /\/(chat\/completions|responses|messages|models\/[^/?]+)(\?.*)?$/;

function listAddress(url: string): string {
  // Azure's: its list is of the resource, not of one deployment.
  const resource = url.replace(/\/deployments\/[^/]+\/chat\/completions/, "/models");
  if (resource !== url) return resource;
  const [, path = "", asked = ""] = answering.exec(url) ?? [];
  const size = path === "messages" ? "limit=1000" : path.startsWith("models/") ? "pageSize=1000" : "";
  const query = [size, asked.slice(1)].filter(Boolean).join("&");
  if (path) return url.replace(answering, `/models${query && `?${query}`}`);
  throw new Error("This provider does not say where it lists its models: give it a method `models`.");
}

/** A list of models as text; throws if it is too long. */
export async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return text;
    text += decoder.decode(piece.value, { stream: true });
    if (text.length <= maxCharacters) continue;
    void reader?.cancel().catch(() => undefined);
    throw new Error(`The list of models has more than ${maxCharacters} characters.`);
  }
}

/** The latest first, where the API says so. What is no model for conversations is left out. */
function readModels(list: readonly unknown[]): AiModel[] {
  const models = new Map<string, AiModel>();
  const read = list.map(loose).filter(isForChat);
  for (const entry of read.toSorted((one, other) => createdAt(other) - createdAt(one))) {
    const id = (textOf(entry?.id) || textOf(entry?.model) || textOf(entry?.name)).replace(/^models\//, "");
    const isTaken = id === "" || id.length > maxName || otherModels.test(id) || models.has(id);
    if (isTaken || models.size === maxModels) continue;
    const name = textOf(entry?.display_name) || textOf(entry?.displayName) || textOf(entry?.name);
    const context = contextOf(entry);
    const shown = name.replace(/^models\//, "").slice(0, maxName) || id;
    models.set(id, { id, name: shown, ...(context > 0 && { context }) });
  }
  return [...models.values()];
}

/** Some APIs say of each model what it can do. */
function isForChat(entry: Loose): boolean {
  const methods = entry?.supportedGenerationMethods;
  const { capabilities: can } = entry ?? {};
  const out = entry?.architecture?.output_modalities;
  const canChat = loose(can?.chat_completion ?? can?.completion_chat) as unknown;
  return (
    (!Array.isArray(methods) || methods.includes("generateContent")) &&
    (!Array.isArray(out) || out.includes("text")) &&
    canChat !== false &&
    !/^(embeddings?|image|moderation|rerank|audio|video)$/.test(textOf(entry?.type))
  );
}

function contextOf(entry: Loose): number {
  const sizes = [
    ...[entry?.context_length, entry?.context_window, entry?.max_context_length, entry?.max_model_len],
    ...[entry?.max_input_tokens, entry?.inputTokenLimit, entry?.meta?.n_ctx],
  ];
  return sizes.map(countOf).find((size) => Number.isSafeInteger(size) && size > 0) ?? 0;
}

function createdAt(entry: Loose): number {
  return countOf(entry?.created) || Date.parse(textOf(entry?.created_at)) / 1000 || 0;
}
