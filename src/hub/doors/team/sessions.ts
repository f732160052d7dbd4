// The sign-ins of an organisation's people: at their identity provider, by codes of programs, and by their own keys.
import type { Grant } from "../../guard/grant.ts";
import { noSuchPrincipal } from "../../team/people/people.ts";
import type { SignIn } from "../../team/sign-in/sign-in-records.ts";
import { readFilters, readLimit } from "../read/read-filters.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";
import { inOrganisation } from "./in-organisation.ts";

/** Max people whose sessions are looked for at a time. */
const most = 100;

const uses = ["app", "shell", "browser"] as const;

interface Session {
  readonly id: string;
  readonly use: string;
  /** The fields that are shown of it. */
  readonly about: object;
  end(): Promise<unknown>;
}

export function sessionAnswers({
  team: { people, personalKeys, signIn },
  appSessions,
  record,
}: TeamDoorOptions): Answers {
  const { signIns } = signIn;

  async function of(principal: string): Promise<readonly Session[]> {
    const grants = await Promise.all(uses.map((use) => appSessions.good(principal, use)));
    return [
      ...(await signIns.list(principal)).map((each) => ({
        ...{ id: idOf(principal, each.id), use: "sign-in", about: aboutSignIn(each) },
        end: () => signIns.end(each, "admin"),
      })),
      ...grants.flat().map(([key, grant]) => ({
        ...{ id: idOf(principal, key), use: grant.use, about: aboutGrant(grant) },
        end: () => appSessions.remove(principal, key),
      })),
      ...(await personalKeys.list(principal)).map(({ id, name, scopes, madeAt: at, expiresAt, usedAt }) => ({
        ...{ id: idOf(principal, id), use: "key", about: { name, scopes, at, expiresAt, usedAt } },
        end: () => personalKeys.remove(principal, id),
      })),
    ];
  }

  async function list(principal: string): Promise<readonly object[]> {
    return (await of(principal)).map(({ id, use, about }) => ({ id, principal, use, ...about }));
  }

  return {
    /** Of one principal, or of a page of people. */
    async "GET sessions"({ request, admitted, organisation }) {
      const filters = readFilters(request, ["principal", "limit", "after"]);
      if (filters.principal !== undefined) return { sessions: await list(inOrganisation(admitted, filters.principal)) };
      const page = await people.list(organisation, { after: filters.after, limit: readLimit(filters, most) });
      const sessions: object[] = [];
      for (const { id } of page.people) sessions.push(...(await list(id)));
      return { sessions, next: page.next };
    },
    async "DELETE sessions/"({ admitted, rest }) {
      const principal = inOrganisation(admitted, principalIn(rest));
      const session = (await of(principal)).find(({ id }) => id === rest);
      if (!session) throw noSuchPrincipal();
      const about = { name: principal, outcome: "signed-out", decidedBy: "admin", details: { use: session.use } };
      const ended = session.end();
      // The end of a key holds once it is saved; others hold at once.
      if (session.use === "key") await ended;
      record({ kind: "person", principal: admitted.principal, ...about });
      await ended;
      return undefined;
    },
  };
}

/** Not secret. It names the principal, whose sessions the store has together. */
function idOf(principal: string, key: string): string {
  return `${key.slice(0, 16)}.${Buffer.from(principal).toString("base64url")}`;
}

function principalIn(id: string): string {
  return Buffer.from(id.slice(id.indexOf(".") + 1), "base64url").toString();
}

function aboutSignIn({ provider, browser, at, expiresAt }: SignIn): object {
  return { provider, browser, at, expiresAt };
}

function aboutGrant({ origin, expiresAt, paired }: Grant): object {
  const browser = paired && { browser: paired.name, at: paired.at, seenAt: paired.seenAt };
  return { origin, ...browser, ...(expiresAt === Infinity ? {} : { expiresAt }) };
}
