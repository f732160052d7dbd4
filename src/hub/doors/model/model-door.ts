// The hub's model over HTTP: which it is, whether it answers, and which others its provider has.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, messageOf, parseJsonObject } from "../../../wire/index.ts";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Passed } from "../../guard/guard.ts";
import { checkJson, pathOf, readBody } from "../../http/exchange.ts";
import { respondText } from "../../http/respond.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import type { HubSettings } from "../../options/options.ts";
import type { CoreDoor } from "../core/core-door.ts";
import type { ModelList } from "../core/model-list.ts";
import { modelForm } from "../core/read-request.ts";
import { providerOf } from "../own/own-door.ts";

export interface ModelDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface ModelDoorOptions {
  readonly ai: ResolvedAi | undefined;
  readonly settings: HubSettings | undefined;
  /** Undefined for a hub without a model. */
  readonly list: ModelList | undefined;
  readonly test: CoreDoor["test"];
  readonly left: CoreDoor["left"];
  readonly limits: Limits;
  readonly record: Audit["record"];
}

export function createModelDoor({ ai, settings, list, test, left, limits, record }: ModelDoorOptions): ModelDoor {
  function described({ isOwner = false }: Admitted): object {
    const [model = null] = ai?.models ?? [];
    return {
      provider: ai ? providerOf(ai) : null,
      model,
      models: ai?.models ?? [],
      isRehearsal: ai?.isRehearsal ?? false,
      mayChange: isOwner && ai !== undefined && !ai.isRehearsal,
    };
  }

  async function listed(): Promise<object> {
    required(ai);
    const [own, local = []] = await Promise.all([list?.read(), settings?.localModels?.()]);
    const { models = [], problem } = own ?? {};
    return { models: models.map(({ id }) => id), problem, local };
  }

  async function choose(admitted: Admitted, { model }: JsonObject): Promise<object> {
    const asked = required(ai);
    if (asked.isRehearsal)
      throw new PagewireError(
        "option-refused",
        "The rehearsal has no models to choose from. Start the hub with a key.",
      );
    if (typeof model !== "string") throw malformed;
    asked.choose(model);
    list?.forget();
    record({
      kind: "policy",
      principal: admitted.principal,
      name: "model",
      outcome: "set",
      decidedBy: "user",
      details: { model },
    });
    let isSaved = false;
    try {
      isSaved = settings?.saveModel(model) ?? false;
    } catch (error) {
      throw new PagewireError("not-saved", `${model} is used until the hub stops. ${messageOf(error)}`, {
        cause: error,
      });
    }
    return { ...described(admitted), isSaved };
  }

  async function answerTo(request: IncomingMessage, admitted: Admitted): Promise<object> {
    switch (`${request.method === "HEAD" ? "GET" : request.method} ${pathOf(request)}`) {
      case "GET /api/model":
        return described(admitted);
      case "GET /api/models":
        return listed();
      case "GET /api/quota": {
        const quotas = await left(admitted.principal);
        const [least] = quotas;
        return { left: least?.left ?? null, newAt: least?.newAt ?? null, quotas };
      }
      case "POST /api/model/test": {
        const { model = ai?.models[0] } = await readModel(request, limits);
        const { models } = required(ai);
        if (typeof model !== "string" || !(admitted.isOwner || models.includes(model)))
          throw new PagewireError(
            "option-refused",
            `Only the hub's owner tests a model other than ${models.join(" or ")}.`,
          );
        return test(admitted, model);
      }
      default:
        return choose(admitted, await readModel(request, limits));
    }
  }

  return {
    async serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      const found = await answerTo(request, admitted);
      respondText(response, { text: JSON.stringify(found), type: "application/json" });
    },
  };
}

function required(ai: ResolvedAi | undefined): ResolvedAi {
  if (ai) return ai;
  throw new PagewireError("model-missing", "This hub has no model. Start it with --model, or give createHub `ai`.");
}

const malformed = new PagewireError("request-malformed", 'The body must be a JSON object: { "model": "a-model" }.');

async function readModel(request: IncomingMessage, { headerBytes }: Limits): Promise<JsonObject> {
  checkJson(request, "The model");
  const text = (await readBody(request, headerBytes, { limit: "headerBytes" })).toString();
  const body = text === "" ? {} : parseJsonObject(text, 1);
  const { model } = body ?? {};
  if (body && (model === undefined || (typeof model === "string" && modelForm.test(model)))) return body;
  throw malformed;
}
