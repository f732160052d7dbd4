// The models of a hub's provider, asked for once in a while.
import { AiCore } from "../../../ai/index.ts";
import type { AiHttpError, AiModel } from "../../../ai/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import { failureWords } from "./test-model.ts";

export interface ListedModels {
  /** The models to ask for first. */
  readonly models: readonly AiModel[];
  /** Why there are no others; null if the provider has listed them, and where it has no list. */
  readonly problem: string | null;
}

/** A list for each model, as long as that is in use. */
export function createModelLists(now: () => number): (ai: ResolvedAi) => ModelList {
  const lists = new WeakMap<ResolvedAi, ModelList>();
  return (ai) => {
    const list = lists.get(ai) ?? createModelList(ai, ai.fetch ?? fetch, now);
    lists.set(ai, list);
    return list;
  };
}

export interface ModelList {
  read(): Promise<ListedModels>;
  /** Another model may be asked for now. */
  forget(): void;
}

/** How long a list is used again. */
const keptFor = 60_000;
const maxModels = 500;

export function createModelList(ai: ResolvedAi, send: typeof fetch, now: () => number): ModelList {
  let kept: { readonly until: number; readonly listed: Promise<ListedModels> } | undefined;

  async function ask(): Promise<ListedModels> {
    const own = ai.models.map((id) => ({ id, name: id }));
    try {
      const found = await listAll(ai, send);
      const known = new Map(found.map((model) => [model.id, model]));
      const first = own.map((model) => known.get(model.id) ?? model);
      const models = new Map([...first, ...found].map((model) => [model.id, model]));
      return { models: [...models.values()].slice(0, maxModels), problem: null };
    } catch (error) {
      return { models: own, problem: ai.mask(problemOf(error as AiHttpError | Error)) };
    }
  }

  /** One at a time: a provider that does not answer is not asked again and again. */
  let before: Promise<unknown> = Promise.resolve();
  let next: Promise<ListedModels> | undefined;

  function askNext(): Promise<ListedModels> {
    const begin = () => {
      next = undefined;
      return ask();
    };
    next ??= before.then(begin, begin);
    before = next;
    return next;
  }

  return {
    read() {
      if (!kept || kept.until <= now()) kept = { until: now() + keptFor, listed: askNext() };
      return kept.listed;
    },
    forget: () => void (kept = undefined),
  };
}

async function listAll(ai: ResolvedAi, send: typeof fetch): Promise<readonly AiModel[]> {
  const { provider } = ai;
  // An Azure resource has deployments, which its keys do not list.
  const isSilent = typeof provider === "string" ? provider === "azure-openai" : !provider.models;
  if (ai.isRehearsal || isSilent) return [];
  const core = new AiCore();
  core.provider = provider;
  return await core.models({ ...ai.fixedFor(undefined), fetch: send });
}

function problemOf(error: AiHttpError | Error): string {
  const isKeyRefused = !(error instanceof Error) && error.status === 401;
  return isKeyRefused ? "It does not accept the key (HTTP 401)" : failureWords(error);
}
