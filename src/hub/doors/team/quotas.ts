// How many tokens of a model an organisation's people may use.
import type { Answers, TeamDoorOptions } from "./answers.ts";

export function quotaAnswers({ team: { quotas }, record }: TeamDoorOptions): Answers {
  return {
    async "GET quotas"({ organisation, admitted: { principal } }) {
      await quotas.load(principal);
      return { quotas: quotas.of(organisation) ?? {} };
    },
    async "PUT quotas"({ organisation, admitted: { principal }, body }) {
      const set = await body();
      await quotas.set(organisation, set);
      record({
        kind: "policy",
        principal,
        name: "quotas",
        outcome: "set",
        decidedBy: "admin",
        details: { quotas: set },
      });
      return { quotas: set };
    },
  };
}
