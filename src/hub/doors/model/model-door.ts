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
import { modelMissing } from "../core/model-source.ts";
import type { ModelSource } from "../core/model-source.ts";
import type { ModelList } from "../core/model-list.ts";
import { modelForm } from "../core/read-request.ts";
import { providerOf } from "../own/own-door.ts";

export interface ModelDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface ModelDoorOptions {
  /** The hub's own, which its owner chooses. */
  readonly ai: ResolvedAi | undefined;
  readonly models: ModelSource;
  readonly settings: HubSettings | undefined;
  readonly listOf: (ai: ResolvedAi) => ModelList;
  readonly test: CoreDoor["test"];
  readonly left: CoreDoor["left"];
  readonly limits: Limits;
  readonly record: Audit["record"];
}

export function createModelDoor({
  ai,
  models: source,
  settings,
  listOf,
  test,
  left,
  limits,
  record,
}: ModelDoorOptions): ModelDoor {
  async function described({ isOwner = false, principal }: Admitted): Promise<object> {
    await source.load(principal);
    const own = source.of(principal);
    const [model = null] = own?.models ?? [];
    return {
      provider: own ? providerOf(own) : null,
      model,
      models: own?.models ?? [],
      isRehearsal: own?.isRehearsal ?? false,
      mayChange: isOwner && own !== undefined && !own.isRehearsal,
    };
  }

  async function requiredOf(principal: string): Promise<ResolvedAi> {
    await source.load(principal);
    const own = source.of(principal);
    if (own) return own;
    throw source.missing(principal);
  }

  async function listed({ principal }: Admitted): Promise<object> {
    const own = await requiredOf(principal);
    const [{ models, problem }, local = []] = await Promise.all([listOf(own).read(), settings?.localModels?.()]);
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
    listOf(asked).forget();
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
    return { ...(await described(admitted)), isSaved };
  }

  async function answerTo(request: IncomingMessage, admitted: Admitted): Promise<object> {
    switch (`${request.method === "HEAD" ? "GET" : request.method} ${pathOf(request)}`) {
      case "GET /api/model":
        return described(admitted);
      case "GET /api/models":
        return listed(admitted);
      case "GET /api/quota": {
        const quotas = await left(admitted.principal);
        const [least] = quotas;
        return { left: least?.left ?? null, newAt: least?.newAt ?? null, quotas };
      }
      case "POST /api/model/test": {
        const { models } = await requiredOf(admitted.principal);
        const { model = models[0] } = await readModel(request, limits);
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
  throw modelMissing();
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
