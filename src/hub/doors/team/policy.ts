// The policy of an organisation: its text, and what it and the hub's make of a call together.
import { describeRule, parsePolicy } from "../../../policy/index.ts";
import type { Policy } from "../../../policy/index.ts";
import { messageOf } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { checkJson, readBody } from "../../http/exchange.ts";
import { readFilters } from "../read/read-filters.ts";
import { digestOf, readCall, showDecision, withoutNames } from "../rules/show-policy.ts";
import { malformed } from "./answers.ts";
import type { Answers, Asked, TeamDoorOptions } from "./answers.ts";
import { inOrganisation } from "./in-organisation.ts";
import { checkReplaces } from "./replaces.ts";

/** Max bytes: each call of the organisation is compared with all of it, on the thread that all organisations share. */
const maxPolicy = 64 * 1024;

/** Max characters of its patterns with "*": to compare one with a text may take as long as both lengths multiplied. */
const maxWild = 8192;

export function policyAnswers({ team, policy, record }: TeamDoorOptions): Answers {
  const { organisations, people, settings } = team;

  function show({ admitted, organisation }: Asked): object {
    const text = textIn(settings.known(organisation, "policy"));
    const { rules = [], pin = [] } = organisations.policyOf(admitted.principal) ?? {};
    return { text: text ?? null, digest: digestOf(text), rules: rules.map(describeRule), pin };
  }

  async function save(asked: Asked, text: string | undefined): Promise<object> {
    const { organisation, admitted } = asked;
    const check = checkReplaces(asked.request, (before) => digestOf(textIn(before)));
    await settings.replace(organisation, { name: "policy", value: text === undefined ? undefined : { text }, check });
    const outcome = text === undefined ? "removed" : "set";
    const about = { name: "organisation policy", outcome, decidedBy: "admin", details: { digest: digestOf(text) } };
    record({ kind: "policy", principal: admitted.principal, ...about });
    return show(asked);
  }

  return {
    "GET policy": (asked) => (readFilters(asked.request, []), show(asked)),
    async "PUT policy"(asked) {
      checkJson(asked.request, "The policy");
      const text = (await readBody(asked.request, maxPolicy, { limit: null })).toString();
      try {
        checkCost(parsePolicy(text));
      } catch (error) {
        throw malformed(messageOf(error));
      }
      return save(asked, text);
    },
    "DELETE policy": (asked) => save(asked, undefined),
    /** The policy's decision about a call of one of the organisation's principals. */
    async "POST policy/"(asked) {
      if (asked.rest !== "test") throw malformed("Only a test can be asked for.");
      const call = readCall(await asked.body(), asked.admitted.principal);
      await people.find(asked.organisation, inOrganisation(asked.admitted, call.principal));
      const rule = policy.judge(call);
      // The hub's policy may name others.
      return showDecision(rule && withoutNames(rule));
    },
  };
}

function checkCost({ rules, pin }: Policy): void {
  const patterns = [pin, ...rules.flatMap(({ when }) => Object.values(when))].flat();
  const wild = patterns.reduce((sum, pattern) => sum + (/\*./.test(pattern) ? pattern.length : 0), 0);
  if (wild > maxWild)
    throw malformed(
      `The patterns with "*" before their end have ${wild} characters together; ${maxWild} is the most. Name tools, pages and people, or end patterns with "*".`,
    );
}

function textIn(set: JsonObject | undefined): string | undefined {
  const text = set?.["text"];
  return typeof text === "string" ? text : undefined;
}
