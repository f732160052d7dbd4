// The pinned tools of one of the organisation's principals, and what the principal decided about tools.
import type { JsonObject } from "../../../wire/index.ts";
import type { Pin } from "../../approvals/pins.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { readChoice } from "../own/read-bodies.ts";
import { readFilters } from "../read/read-filters.ts";
import { malformed } from "./answers.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";
import { inOrganisation } from "./in-organisation.ts";

export function pinAnswers({ pins, consents, limits, record }: TeamDoorOptions): Answers {
  /** Beside the principal's own record, which does not say that an admin decided. */
  function noteFor({ principal }: Admitted, name: string) {
    return (outcome: string, details: JsonObject) =>
      record({ kind: "person", principal, name, outcome, decidedBy: "admin", details });
  }

  return {
    "GET pins/": ({ admitted, rest }) => pins.list(inOrganisation(admitted, rest)),
    async "POST pins/"({ admitted, rest, request }) {
      const [, whose = "", action] = /^(.*)\/(accept|remove)$/s.exec(rest) ?? [];
      const principal = inOrganisation(admitted, whose);
      const choice = await readChoice(request, limits);
      const note = noteFor(admitted, principal);
      const namesOf = (tools: readonly Pin[]) => ({ origin: choice.origin, tools: tools.map(({ name }) => name) });
      if (action === "accept") {
        const accepted = await pins.accept(principal, choice);
        note("pins-accepted", namesOf(accepted));
        return { accepted };
      }
      const removed = await pins.remove(principal, choice);
      note("pins-removed", namesOf(removed));
      return { removed };
    },
    "GET consents/": async ({ admitted, rest }) => ({ consents: await consents.list(inOrganisation(admitted, rest)) }),
    async "DELETE consents/"({ admitted, rest, request }) {
      const principal = inOrganisation(admitted, rest);
      const { id } = readFilters(request, ["id"]);
      if (id === undefined) throw malformed("Name the consent: ?id=….");
      await consents.remove(principal, id);
      noteFor(admitted, principal)("consent-removed", { id });
      return undefined;
    },
  };
}
