// How many tokens of a model an organisation's people may use, and what is left of them.
import { serviceOf } from "../../common/principals.ts";
import { readFilters, readLimit } from "../read/read-filters.ts";
import type { Answers, Asked, TeamDoorOptions } from "./answers.ts";
import { checkReplaces, digestOfSetting } from "./replaces.ts";

const most = 100;
/** Max bytes: room for all people and groups that quotas may name. */
const maxQuotas = 256 * 1024;

export function quotaAnswers({ team: { quotas, people, services }, tokensLeft, record }: TeamDoorOptions): Answers {
  async function show({ organisation, admitted: { principal } }: Asked): Promise<object> {
    await quotas.load(principal);
    const set = quotas.of(organisation);
    return { quotas: set ?? {}, digest: digestOfSetting(set) };
  }

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
    "GET quotas": (asked) => (readFilters(asked.request, []), show(asked)),
    async "PUT quotas"(asked) {
      const { organisation, admitted, request, body } = asked;
      const { principal } = admitted;
      const check = checkReplaces(request);
      const set = await body(maxQuotas);
      await quotas.set(organisation, set, check);
      record({
        kind: "policy",
        principal,
        name: "quotas",
        outcome: "set",
        decidedBy: "admin",
        details: { quotas: set },
      });
      return show(asked);
    },
  };
}
