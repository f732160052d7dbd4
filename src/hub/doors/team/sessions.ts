// What the people of an organisation are signed in with.
import type { Grant } from "../../guard/grant.ts";
import { noSuchPrincipal } from "../../team/people.ts";
import { readFilters, readLimit } from "../read/read-filters.ts";
import { inOrganisation } from "./in-organisation.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";

/** Max people whose sessions are looked for at a time. */
const most = 100;

const uses = ["app", "shell", "browser"] as const;

interface Session {
  readonly principal: string;
  /** Its key in the store, a digest. */
  readonly session: string;
  readonly grant: Grant;
}

export function sessionAnswers({ team: { people }, appSessions, record }: TeamDoorOptions): Answers {
  async function of(principal: string): Promise<readonly Session[]> {
    const found = await Promise.all(uses.map((use) => appSessions.good(principal, use)));
    return found.flat().map(([session, grant]) => ({ principal, session, grant }));
  }

  return {
    /** Of one person, or of people in the order of their principals, a page of them at a time. */
    async "GET sessions"({ request, admitted, organisation }) {
      const filters = readFilters(request, ["principal", "limit", "after"]);
      if (filters.principal !== undefined)
        return { sessions: (await of(inOrganisation(admitted, filters.principal))).map(describe) };
      const limit = readLimit(filters, most);
      const found = await people.list(organisation, { after: filters.after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const sessions: object[] = [];
      for (const { id } of page) sessions.push(...(await of(id)).map(describe));
      return { sessions, ...(found.length > limit && { next: page.at(-1)?.id }) };
    },
    async "DELETE sessions/"({ admitted, rest }) {
      const principal = inOrganisation(admitted, principalIn(rest));
      const found = (await of(principal)).find((each) => idOf(each) === rest);
      if (!found) throw noSuchPrincipal();
      const { use, origin } = found.grant;
      const about = { name: principal, origin, outcome: "signed-out", decidedBy: "admin", details: { use } };
      record({ kind: "person", principal: admitted.principal, ...about });
      await appSessions.remove(principal, found.session);
      return undefined;
    },
  };
}

/** Not secret. It names the principal, whose sessions the store has together. */
function idOf({ principal, session }: Session): string {
  return `${session.slice(0, 16)}.${Buffer.from(principal).toString("base64url")}`;
}

function principalIn(id: string): string {
  return Buffer.from(id.slice(id.indexOf(".") + 1), "base64url").toString();
}

function describe(found: Session): object {
  const { use, origin, expiresAt, paired } = found.grant;
  return {
    ...{ id: idOf(found), principal: found.principal, use, origin },
    ...(paired && { name: paired.name, seenAt: paired.seenAt }),
    ...(expiresAt === Infinity ? {} : { expiresAt }),
  };
}
