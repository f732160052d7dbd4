// The lower limits of all principals of an organisation.
import { parseBudgets } from "../../identity/admitted.ts";
import { readFilters } from "../read/read-filters.ts";
import { malformed } from "./answers.ts";
import type { Answers, Asked, TeamDoorOptions } from "./answers.ts";
import { checkReplaces, digestOfSetting } from "./replaces.ts";

export function budgetAnswers({ team: { organisations, settings }, limits, record }: TeamDoorOptions): Answers {
  const show = ({ admitted, organisation }: Asked) => ({
    budgets: organisations.budgetsOf(admitted.principal) ?? {},
    digest: digestOfSetting(settings.known(organisation, "budgets")),
  });
  return {
    "GET budgets": (asked) => (readFilters(asked.request, []), show(asked)),
    /** All of them at once: one that is left out is the hub's limit again. */
    async "PUT budgets"(asked) {
      const check = checkReplaces(asked.request);
      const { budgets: given, ...others } = await asked.body();
      if (Object.keys(others).length > 0) throw malformed('The body must be { "budgets": { … } }.');
      const budgets = parseBudgets(given, limits, (problem) => malformed(`"budgets" is refused: ${problem}`));
      const { organisation, admitted } = asked;
      await settings.replace(organisation, { name: "budgets", value: { ...budgets }, check });
      const about = { name: "organisation budgets", outcome: "set", decidedBy: "admin", details: { ...budgets } };
      record({ kind: "policy", principal: admitted.principal, ...about });
      return show(asked);
    },
  };
}
