// Service accounts of an organisation. A key is shown once, in the answer to who made it.
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject, Limits, TokenBudgets } from "../../../wire/index.ts";
import { readBudgets } from "../../identity/admitted.ts";
import type { Scope } from "../../identity/scopes.ts";
import { isScope } from "../../team/service-record.ts";
import { malformed } from "./answers.ts";
import type { Answers, Asked, TeamDoorOptions } from "./answers.ts";
import { serviceOf } from "../../team/people/principals.ts";

const day = 24 * 60 * 60 * 1000;
/** How long a key is good by default, and at most, in milliseconds. */
const usualTime = 90 * day;
const longestTime = 366 * day;
/** How long keys before a new one are good at most, in milliseconds. */
const longestKept = 30 * day;

const nameForm = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function serviceAnswers({ team: { services }, limits, record }: TeamDoorOptions): Answers {
  function note({ admitted, organisation }: Asked, name: string, outcome: string): void {
    const { principal } = admitted;
    record({ kind: "token", principal, name: serviceOf(organisation, name), outcome, decidedBy: "admin" });
  }

  return {
    "GET services": async ({ organisation }) => ({
      services: (await services.list(organisation)).map(({ name, scopes, allowed, madeBy, madeAt, keys }) => ({
        ...{ name, principal: serviceOf(organisation, name), scopes, budgets: allowed, madeBy, madeAt, keys },
      })),
    }),
    async "POST services"(asked) {
      const body = await asked.body();
      const name = readName(body);
      const { key, expiresAt } = await services.make(asked.organisation, {
        ...{ name, scopes: readScopes(body), allowed: budgetsIn(body, limits) },
        ...{ madeBy: asked.admitted.principal, expiresAt: readEnd(body) },
      });
      note(asked, name, "made");
      return { name, principal: serviceOf(asked.organisation, name), key, expiresAt };
    },
    async "POST services/"(asked) {
      const [name = "", part, more] = asked.rest.split("/");
      if (part !== "keys" || more !== undefined) throw noSuchService();
      const body = await asked.body();
      const times = { expiresAt: readEnd(body), keepOldFor: readTime(body, "keepOldFor", longestKept) ?? 0 };
      const made = await services.rotate({ organisation: asked.organisation, name }, times);
      if (!made) throw noSuchService();
      note(asked, name, "rotated");
      return { name, principal: serviceOf(asked.organisation, name), ...made };
    },
    async "DELETE services/"(asked) {
      const { organisation, rest: name } = asked;
      const removed = services.remove(organisation, name);
      if (!removed) throw noSuchService();
      note(asked, name, "removed");
      await removed;
      return undefined;
    },
  };
}

function noSuchService(): PagewireError {
  return new PagewireError("route-not-found", "There is no service account of this name in your organisation.");
}

function readName({ name }: JsonObject): string {
  if (typeof name === "string" && nameForm.test(name)) return name;
  throw malformed('The "name" needs 1 to 64 letters, digits, "_", "." and "-", and begins with a letter or a digit.');
}

function readScopes({ scopes = ["tools"] }: JsonObject): readonly Scope[] {
  if (Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope)) return [...new Set(scopes)];
  throw malformed('The "scopes" must be a list of "tools", "tools:destructive" and "admin".');
}

/** When a key ends: by `expiresAt`, or by `expiresIn` milliseconds. */
function readEnd(body: JsonObject): number {
  const { expiresAt } = body;
  if (expiresAt === undefined) return Date.now() + (readTime(body, "expiresIn", longestTime) ?? usualTime);
  const left = typeof expiresAt === "number" ? expiresAt - Date.now() : Number.NaN;
  if (body["expiresIn"] === undefined && left > 0 && left <= longestTime) return Number(expiresAt);
  throw malformed('Give "expiresAt" in milliseconds since 1970, at most 366 days from now, or "expiresIn", not both.');
}

function readTime(body: JsonObject, name: string, longest: number): number | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= 0 && value <= longest) return value;
  throw malformed(`The "${name}" must be milliseconds, at most ${longest / day} days.`);
}

function budgetsIn({ budgets }: JsonObject, limits: Limits): TokenBudgets | undefined {
  try {
    return readBudgets(budgets, limits);
  } catch (error) {
    throw PagewireError.isInstance(error) ? malformed(error.message.replace("token's", "service account's")) : error;
  }
}
