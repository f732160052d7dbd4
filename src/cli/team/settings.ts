// Settings of an organisation: its policy, budgets, quotas, and a model of its own.
import { isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";
import { textOfInput } from "../common/read-arguments.ts";
import { subjectOf } from "../common/policy-subject.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { findPrincipal, listed, objects, said, text, texts, time } from "./shown.ts";
import type { Actions, Asked, Shown } from "./shown.ts";

const maxDepth = 32;

export const settingActions: Actions = {
  async "policy list"({ hub }) {
    return showPolicy(await askHub({ ...hub, method: "GET", path: "/api/team/policy" }));
  },
  async "policy set <name>"(asked) {
    const body = await textOfInput(asked.name, asked.stdin);
    const data = await askHub({ ...asked.hub, method: "PUT", path: over("policy", asked), body });
    const count = objects(data["rules"]).length;
    return said(data, `The policy has ${count} ${count === 1 ? "rule" : "rules"} now.`);
  },
  async "policy remove"(asked) {
    const data = await askHub({ ...asked.hub, method: "DELETE", path: over("policy", asked) });
    return said(data, noPolicy);
  },
  async "policy test <name>"({ hub, name, values }) {
    const principal = values.principal === undefined ? {} : { principal: await findPrincipal(hub, values.principal) };
    const call = JSON.parse(JSON.stringify({ ...principal, ...subjectOf(name, values) })) as JsonObject;
    const data = await askHub({ ...hub, method: "POST", path: "/api/team/policy/test", body: call });
    const { rule } = data;
    const why = isJsonObject(rule) ? `by ${text(rule["label"])}: ${text(rule["words"])}` : "no rule fits.";
    return said(data, `${text(data["decision"])}: ${why}`);
  },
  ...documentActions("quotas", "The quotas are set."),
  ...documentActions("budgets", "The budgets are set."),
  async "model list"({ hub }) {
    return showModel(await askHub({ ...hub, method: "GET", path: "/api/team/model" }));
  },
  async "model set <name>"({ hub, name, values, stdin }) {
    if (values.model.length === 0) throw usageError("Name the models that people may ask for: --model NAME");
    const file = values["key-file"];
    const body = {
      ...{ provider: name, models: [...values.model] },
      ...(file !== undefined && { apiKey: (await textOfInput(file, stdin)).trim() }),
      ...(values["base-url"] !== undefined && { baseUrl: values["base-url"] }),
    };
    return showModel(await askHub({ ...hub, method: "PUT", path: "/api/team/model", body }));
  },
  async "model remove"({ hub }) {
    await askHub({ ...hub, method: "DELETE", path: "/api/team/model" });
    return said({ removed: true }, "Your organisation has no model of its own any more.");
  },
};

/** Documents that are printed as they can be set again. */
function documentActions(what: "quotas" | "budgets", done: string): Actions {
  const path = `/api/team/${what}`;
  return {
    async [`${what} list`]({ hub }) {
      const data = await askHub({ ...hub, method: "GET", path });
      return { data, lines: () => JSON.stringify(data[what], null, 2).split("\n") };
    },
    async [`${what} set <name>`](asked) {
      const given = await objectIn(asked);
      const body = what === "budgets" ? { budgets: given } : given;
      return said(await askHub({ ...asked.hub, method: "PUT", path: over(what, asked), body }), done);
    },
  };
}

/** The path at which it is set, over what has the digest that was named. */
function over(what: "policy" | "quotas" | "budgets", { values: { replaces } }: Asked): string {
  return `/api/team/${what}${replaces === undefined ? "" : `?replaces=${encodeURIComponent(replaces)}`}`;
}

async function objectIn({ name, stdin }: Asked): Promise<JsonObject> {
  const found = parseJsonObject(await textOfInput(name, stdin), maxDepth);
  if (found !== undefined) return found;
  throw usageError(`${name === "-" ? "The input" : name} is no JSON object.`);
}

const noPolicy = "Your organisation has no policy of its own: the hub's alone holds.";

function showPolicy(data: JsonObject): Shown {
  const rows = objects(data["rules"]).map((rule) => [text(rule["label"]), text(rule["words"])]);
  return listed(data, [["RULE", "EFFECT"], ...rows], data["text"] === null ? noPolicy : "The policy has no rules.");
}

function showModel(data: JsonObject): Shown {
  const { model, hasHubs } = data;
  if (!isJsonObject(model)) {
    const hubs = hasHubs === true ? "your people use the hub's." : "the hub shares none.";
    return said(data, `Your organisation has no model of its own: ${hubs}`);
  }
  const { provider, models, baseUrl, hasKey, setBy, setAt } = model;
  const where = typeof baseUrl === "string" ? ` at ${baseUrl}` : "";
  const key = hasKey === true ? "with a key" : "without a key";
  const who = `set by ${text(setBy)}, ${time(setAt)}`;
  return said(data, `${text(provider)}: ${texts(models).join(", ")}${where}, ${key}, ${who}.`);
}
