// The model that an organisation's people use. Its key is never answered.
import type { Answers, TeamDoorOptions } from "./answers.ts";

export function modelAnswers({ team: { models }, record }: TeamDoorOptions): Answers {
  const about = { kind: "policy", name: "model", decidedBy: "admin" } as const;
  return {
    async "GET model"({ organisation, admitted: { principal } }) {
      await models.load(principal);
      return models.describe(organisation);
    },
    async "PUT model"({ organisation, admitted: { principal }, body }) {
      const { provider, models: names, baseUrl } = await models.set(organisation, await body(), principal);
      const details = { provider, models: [...names], ...(baseUrl !== undefined && { baseUrl }) };
      record({ ...about, principal, outcome: "set", details });
      return models.describe(organisation);
    },
    async "DELETE model"({ organisation, admitted: { principal } }) {
      if (await models.remove(organisation)) record({ ...about, principal, outcome: "removed" });
      return undefined;
    },
  };
}
