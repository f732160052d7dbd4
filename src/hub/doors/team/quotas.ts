// How many tokens of a model an organisation's people may use, and what is left of them.
import { serviceOf } from "../../common/principals.ts";
import { readFilters, readLimit } from "../read/read-filters.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";

const most = 100;
/** Max bytes: room for all people and groups that quotas may name. */
const maxQuotas = 256 * 1024;

export function quotaAnswers({ team: { quotas, people, services }, tokensLeft, record }: TeamDoorOptions): Answers {
  return {
    /** A page of people; the service accounts come after the last of them. */
    async "GET use"({ request, organisation }) {
      const filters = readFilters(request, ["limit", "after"]);
      const page = await people.list(organisation, { after: filters.after, limit: readLimit(filters, most) });
      const last = page.next === undefined ? await services.list(organisation) : [];
      const use: object[] = [];
      for (const { id, name } of [
        ...page.people,
        ...last.map(({ name }) => ({ id: serviceOf(organisation, name), name })),
      ])
        use.push({ principal: id, name, quotas: await tokensLeft(id) });
      return { use, next: page.next };
    },
    async "GET quotas"({ organisation, admitted: { principal } }) {
      await quotas.load(principal);
      return { quotas: quotas.of(organisation) ?? {} };
    },
    async "PUT quotas"({ organisation, admitted: { principal }, body }) {
      const set = await body(maxQuotas);
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
