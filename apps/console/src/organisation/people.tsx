// The people of an organisation, as their identity provider described them last.
import { shortened } from "../../../common/src/shortened.ts";
import { Badge, Button, Time, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { href } from "../frame/route.ts";
import { Rows, useList } from "./rows.tsx";

interface Person {
  readonly principal: string;
  readonly name?: string;
  readonly email?: string;
  readonly groups: readonly string[];
  readonly isAdmin: boolean;
  readonly blocked: boolean;
  readonly seenAt?: number;
}

export function People({ session }: { readonly session: Session }) {
  const list = useList<Person>(session, "/api/team/people", "people");
  const [busy, change] = useChange();

  const setBlocked = async (person: Person, blocked: boolean): Promise<void> => {
    await session.request("POST", pathOf(person), { blocked });
    list.read();
    const undo = { label: "Undo", run: () => change(person.principal, () => setBlocked(person, false)) };
    const text = `${nameOf(person)} is blocked. What they had open has ended.`;
    toast(blocked ? { text, action: undo } : { text: `${nameOf(person)} may sign in again.`, tone: "ok" });
  };
  const end = async (person: Person): Promise<void> => {
    await session.request("DELETE", `${pathOf(person)}/access`);
    list.read();
    toast(`${nameOf(person)} is signed out everywhere, and has to sign in again.`);
  };

  return (
    <div class="rules">
      <p>People appear here when they come for the first time. Their groups are those of the identity provider.</p>
      <Rows
        label="People"
        list={list}
        titles={["Person", "Groups", "Seen", "Change"]}
        keyOf={({ principal }) => principal}
        empty="Nobody has come yet."
        cells={(person) => [
          <>
            {nameOf(person)} {person.isAdmin && <Badge tone="info">admin</Badge>}{" "}
            {person.blocked && <Badge tone="bad">blocked</Badge>}
            <p class="hint">{shortened(person.email ?? person.principal, 80)}</p>
            <p class="row">
              <a href={href(["organisation", "audit"], { principal: person.principal })}>
                Audit<span class="visually-hidden"> of {nameOf(person)}</span>
              </a>
              <a href={href(["organisation", "pins", person.principal])}>
                Pinned tools<span class="visually-hidden"> of {nameOf(person)}</span>
              </a>
            </p>
          </>,
          shortened(person.groups.join(", "), 200),
          person.seenAt === undefined ? "" : <Time at={person.seenAt} />,
          person.principal === session.info.principal ? (
            <span class="hint">You</span>
          ) : (
            <div class="row">
              <Button
                small
                kind={person.blocked ? "plain" : "danger"}
                busy={busy === person.principal}
                onClick={() => change(person.principal, () => setBlocked(person, !person.blocked))}
              >
                {person.blocked ? "Unblock" : "Block"} <span class="visually-hidden">{nameOf(person)}</span>
              </Button>
              {!person.blocked && (
                <Button small onClick={() => change(`end ${person.principal}`, () => end(person))}>
                  Sign out <span class="visually-hidden">{nameOf(person)} everywhere</span>
                </Button>
              )}
            </div>
          ),
        ]}
      />
    </div>
  );
}

function nameOf({ name, principal }: Person): string {
  return shortened(name ?? principal, 80);
}

function pathOf({ principal }: Person): string {
  return `/api/team/people/${encodeURIComponent(principal)}`;
}
