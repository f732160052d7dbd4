// The people of an organisation: who they are, who of them is blocked, and the end of what their credentials have begun.
import type { Person } from "../../team/people/people.ts";
import { noSuchPrincipal } from "../../team/people/people.ts";
import { readFilters, readLimit } from "../read/read-filters.ts";
import { inOrganisation } from "./in-organisation.ts";
import { malformed } from "./answers.ts";
import type { Answers, Asked, TeamDoorOptions } from "./answers.ts";

const most = 500;

export function peopleAnswers({ team: { people, access, personalKeys }, record }: TeamDoorOptions): Answers {
  function describe({ id, name, email, groups, isAdmin, isMember, seenAt }: Person): object {
    const before = access.refusedBefore(id);
    const blocked = access.isBlocked(id);
    return {
      ...{ principal: id, name, email, groups, isAdmin, blocked, seenAt },
      ...(isMember === false && { isMember }),
      ...(before === undefined || blocked ? {} : { endedAt: before }),
    };
  }

  async function find({ admitted, organisation }: Asked, principal: string): Promise<Person> {
    const person = await people.find(organisation, inOrganisation(admitted, principal));
    if (person) return person;
    throw noSuchPrincipal();
  }

  function note({ admitted: { principal } }: Asked, { id }: Person, outcome: string): void {
    record({ kind: "person", principal, name: id, outcome, decidedBy: "admin" });
  }

  return {
    async "GET people"({ request, organisation }) {
      const filters = readFilters(request, ["limit", "after"]);
      const page = await people.list(organisation, { after: filters.after, limit: readLimit(filters, most) });
      return { people: page.people.map(describe), next: page.next };
    },
    async "POST people/"(asked) {
      const { blocked } = await asked.body();
      if (typeof blocked !== "boolean")
        throw malformed('The body must be { "blocked": true } or { "blocked": false }.');
      const person = await find(asked, asked.rest);
      if (person.id === asked.admitted.principal) throw malformed("Nobody can block themselves.");
      if (blocked !== access.isBlocked(person.id)) {
        const saved = blocked
          ? [access.block(person.id), personalKeys.removeAll(person.id)]
          : [access.unblock(person.id)];
        note(asked, person, blocked ? "blocked" : "unblocked");
        await Promise.all(saved);
      }
      return describe(person);
    },
    async "DELETE people/"(asked) {
      // A proxy may have decoded the slashes of a principal.
      const principal = /^(.*)\/access$/s.exec(asked.rest)?.[1] ?? "";
      const person = await find(asked, principal);
      const saved = [access.end(person.id), personalKeys.removeAll(person.id)];
      note(asked, person, "ended");
      await Promise.all(saved);
      return undefined;
    },
  };
}
