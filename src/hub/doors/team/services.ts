// Service accounts of an organisation. A key is shown once, in the answer to who made it.
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject, Limits, TokenBudgets } from "../../../wire/index.ts";
import { readBudgets } from "../../identity/admitted.ts";
import { day, readEnd, readScopes, readTime } from "./read-key.ts";
import { malformed } from "./answers.ts";
import type { Answers, Asked, TeamDoorOptions } from "./answers.ts";
import { serviceOf } from "../../common/principals.ts";

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
      services: (await services.list(organisation)).map(({ name, whose, scopes, allowed, madeBy, madeAt, keys }) => ({
        ...{ name, principal: whose, scopes, budgets: allowed, madeBy, madeAt, keys },
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
      const made = await services.rotate(asked.organisation, name, times);
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

function budgetsIn({ budgets }: JsonObject, limits: Limits): TokenBudgets | undefined {
  try {
    return readBudgets(budgets, limits);
  } catch (error) {
    throw PagewireError.isInstance(error) ? malformed(error.message.replace("token's", "service account's")) : error;
  }
}
