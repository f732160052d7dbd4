// The pinned tools of one of the organisation's principals, and what the principal decided about tools.
import { readChoice } from "../own/read-bodies.ts";
import { readFilters } from "../read/read-filters.ts";
import { malformed } from "./answers.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";
import { inOrganisation } from "./in-organisation.ts";

export function pinAnswers({ pins, consents, limits }: TeamDoorOptions): Answers {
  return {
    "GET pins/": ({ admitted, rest }) => pins.list(inOrganisation(admitted, rest)),
    async "POST pins/"({ admitted, rest, request }) {
      const [, whose = "", action] = /^(.*)\/(accept|remove)$/s.exec(rest) ?? [];
      const principal = inOrganisation(admitted, whose);
      const choice = await readChoice(request, limits);
      if (action === "accept") return { accepted: await pins.accept(principal, choice) };
      return { removed: await pins.remove(principal, choice) };
    },
    "GET consents/": async ({ admitted, rest }) => ({ consents: await consents.list(inOrganisation(admitted, rest)) }),
    async "DELETE consents/"({ admitted, rest, request }) {
      const principal = inOrganisation(admitted, rest);
      const { id } = readFilters(request, ["id"]);
      if (id === undefined) throw malformed("Name the consent: ?id=….");
      await consents.remove(principal, id);
      return undefined;
    },
  };
}
