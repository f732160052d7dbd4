// The people of an organisation, as their identity provider described them last.
import { useState } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Badge, Button, Time, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { href } from "../frame/route.ts";
import { Confirm } from "./confirm.tsx";
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
  const [asking, ask] = useState<{ readonly person: Person; readonly blocks: boolean }>();

  const setBlocked = async (person: Person, blocked: boolean): Promise<void> => {
    await session.request("POST", pathOf(person), { blocked });
    list.read();
    if (blocked) toast(`${nameOf(person)} is blocked. What they had open has ended.`);
    else toast({ text: `${nameOf(person)} may sign in again.`, tone: "ok" });
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
                onClick={() =>
                  person.blocked
                    ? change(person.principal, () => setBlocked(person, false))
                    : ask({ person, blocks: true })
                }
              >
                {person.blocked ? "Unblock" : "Block"} <span class="visually-hidden">{nameOf(person)}</span>
              </Button>
              {!person.blocked && (
                <Button small onClick={() => ask({ person, blocks: false })}>
                  Sign out <span class="visually-hidden">{nameOf(person)} everywhere</span>
                </Button>
              )}
            </div>
          ),
        ]}
      />
      {asking && (
        <Confirm
          title={asking.blocks ? `Block ${nameOf(asking.person)}?` : `Sign ${nameOf(asking.person)} out everywhere?`}
          action={asking.blocks ? "Block them" : "Sign them out"}
          onCancel={() => ask(undefined)}
          onConfirm={() => {
            ask(undefined);
            const { person, blocks } = asking;
            change(person.principal, () => (blocks ? setBlocked(person, true) : end(person)));
          }}
        >
          What they have open ends at once, with the calls of their agents.{" "}
          {asking.blocks ? "They are kept out until you unblock them." : "They may sign in again."}
        </Confirm>
      )}
    </div>
  );
}

function nameOf({ name, principal }: Person): string {
  return shortened(name ?? principal, 80);
}

function pathOf({ principal }: Person): string {
  return `/api/team/people/${encodeURIComponent(principal)}`;
}
