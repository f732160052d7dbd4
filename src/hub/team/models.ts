// Which model answers the people of an organisation: its own, with its own key, else the hub's where the operator shares that.
import { providerNames } from "../../ai/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { resolveAiOptions } from "../options/ai-options.ts";
import type { ResolvedAi } from "../options/ai-options.ts";
import {
  addressProblem,
  bindingOf,
  needsKey,
  parseStoredModel,
  readAddresses,
  readModelSetting,
  storedValue,
} from "./model-setting.ts";
import type { ModelSetting, StoredModel } from "./model-setting.ts";
import type { OrganisationSettings } from "./organisation-settings.ts";
import { organisationOf } from "../common/principals.ts";
import type { Seal } from "../common/seal.ts";

export interface Models {
  /** Must be awaited before a principal's model is asked for. */
  load(principal: string): Promise<void>;
  /** Undefined if there is none for the principal; throws where the organisation's cannot be used. */
  of(principal: string): ResolvedAi | undefined;
  /** Why there is none, with who can change that. */
  missing(principal: string): PagewireError;
  /** An organisation's setting, without its key. */
  describe(organisation: string): object;
  set(organisation: string, asked: JsonObject, setBy: string): Promise<ModelSetting>;
  /** Whether there was one. */
  remove(organisation: string): Promise<boolean>;
}

export interface ModelsOptions {
  readonly settings: OrganisationSettings;
  /** For the keys. */
  readonly seal: Seal;
  /** The hub's own model. */
  readonly hubs: ResolvedAi | undefined;
  /** Whether organisations without a model of their own get the hub's. */
  readonly isShared: boolean;
  /** Addresses that organisations may use beside those of vendors. */
  readonly addresses: readonly string[];
  readonly now: () => number;
}

interface Made {
  readonly value: JsonObject;
  readonly text: string;
  readonly ai: ResolvedAi;
}

const settingName = "model";

export function createModels({ settings, seal, hubs, isShared, now, ...options }: ModelsOptions): Models {
  const allowed = readAddresses(options.addresses);
  /** By organisation: conversations see by the object whether their model has changed. */
  const made = new Map<string, Made>();

  function storedOf(organisation: string): StoredModel | undefined {
    const value = settings.required(organisation, settingName);
    return value && parseStoredModel(value);
  }

  function make(organisation: string, value: JsonObject): ResolvedAi {
    const stored = parseStoredModel(value);
    if (!stored) throw unusable(organisation, "is of another version of the hub");
    if (addressProblem(stored, allowed) !== undefined)
      throw unusable(organisation, "has an address that is not allowed any more");
    const { sealed } = stored;
    const apiKey = sealed === undefined ? undefined : seal.open(sealed, bindingOf(organisation, stored));
    if (sealed !== undefined && apiKey === undefined)
      throw unusable(organisation, "has a key that this hub cannot read");
    return resolveFor(organisation, { stored, apiKey, hubs });
  }

  return {
    async load(principal) {
      const organisation = organisationOf(principal);
      if (organisation !== undefined) await settings.load(organisation);
    },
    of(principal) {
      const organisation = organisationOf(principal);
      if (organisation === undefined) return undefined;
      const value = settings.required(organisation, settingName);
      const before = made.get(organisation);
      if (!value) {
        made.delete(organisation);
        return isShared ? hubs : undefined;
      }
      if (before?.value === value) return before.ai;
      const text = JSON.stringify(value);
      const ai = before?.text === text ? before.ai : make(organisation, value);
      made.set(organisation, { value, text, ai });
      return ai;
    },
    missing(principal) {
      const words = `No model is set for ${organisationOf(principal)}, so nothing can answer here. An administrator of it can set one in the console, at Organisation, Model.`;
      return new PagewireError("model-missing", words);
    },
    describe(organisation) {
      const stored = storedOf(organisation);
      const providers = providerNames.split(", ");
      if (!stored) return { model: null, hasHubs: isShared && hubs !== undefined, providers };
      const { sealed, ...model } = stored;
      return { model: { ...model, hasKey: sealed !== undefined }, providers };
    },
    async set(organisation, asked, setBy) {
      await settings.load(organisation);
      const { setting, apiKey } = readModelSetting(asked, allowed);
      const binding = bindingOf(organisation, setting);
      const before = storedOf(organisation);
      // Its other models may be set without the key, which cannot be looked up.
      const kept = before && bindingOf(organisation, before) === binding ? before.sealed : undefined;
      const sealed = apiKey === undefined ? kept : seal.seal(apiKey, binding);
      if (sealed === undefined && needsKey(setting, allowed))
        throw new PagewireError("request-malformed", 'Give the "apiKey": there is none for this provider and address.');
      await settings.set(organisation, settingName, storedValue({ ...setting, sealed, setBy, setAt: now() }));
      return setting;
    },
    async remove(organisation) {
      await settings.load(organisation);
      const isThere = settings.required(organisation, settingName) !== undefined;
      if (isThere) await settings.set(organisation, settingName, undefined);
      return isThere;
    },
  };
}

interface Parts {
  readonly stored: StoredModel;
  readonly apiKey: string | undefined;
  readonly hubs: ResolvedAi | undefined;
}

/** The tools, system text and bounds of the hub's model hold for an organisation's too, but not its key and headers. */
function resolveFor(organisation: string, { stored, apiKey, hubs }: Parts): ResolvedAi {
  const { provider, models, baseUrl } = stored;
  const own = resolveAiOptions({
    ...{ provider, model: models, quota: Infinity, fetch: withoutRedirects },
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
  });
  if (!hubs) return { ...own, organisation };
  const { maxTokens, maxToolRoundtrips, allowSystem, systemFor, toolsFor } = hubs;
  return { ...own, organisation, maxTokens, maxToolRoundtrips, allowSystem, systemFor, toolsFor };
}

/** A redirect could lead to where the organisation's admin may not send the hub. */
const withoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "error" });

/** The hub's own model is not taken instead: it may be of a vendor that the organisation does not want. */
function unusable(organisation: string, why: string): PagewireError {
  const words = `The model that an administrator of ${organisation} has set ${why}. An administrator must set it again in the console, at Organisation, Model.`;
  return new PagewireError("model-missing", words);
}
