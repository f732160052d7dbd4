// People's sign-ins: one's own, and for admins those of everyone in the organisation.
import { shortened } from "../../../common/src/shortened.ts";
import { Badge, Button, Time, Until, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { nameOf } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { browserName } from "./browser-name.ts";
import { Rows, useList } from "./rows.tsx";

interface OwnSignIn {
  readonly id: string;
  readonly browser?: string;
  readonly at: number;
  readonly expiresAt: number;
  readonly isCurrent?: boolean;
}

export function OwnSignIns({ session }: { readonly session: Session }) {
  const list = useList<OwnSignIn>(session, "/api/sessions", "sessions");
  const [busy, change] = useChange();
  const end = async (id: string) => {
    await session.request("DELETE", `/api/sessions/${encodeURIComponent(id)}`);
    list.read();
    toast("That browser is signed out.");
  };
  return (
    <div class="rules">
      <p>
        You are {shortened(nameOf(session.info), 80)}: <code>{shortened(session.info.principal, 80)}</code>
      </p>
      <h2>Your sign-ins</h2>
      <Rows
        label="Your sign-ins"
        list={list}
        titles={["Browser", "Since", "Until", "Change"]}
        keyOf={({ id }) => id}
        empty="You are signed in with a link of the command line, and in no browser otherwise."
        cells={({ id, browser, at, expiresAt, isCurrent }) => [
          <>
            {shortened(browserName(browser ?? "A browser"), 80)} {isCurrent && <Badge tone="ok">this one</Badge>}
          </>,
          <Time at={at} />,
          <Until at={expiresAt} />,
          isCurrent ? (
            ""
          ) : (
            <Button small busy={busy === id} onClick={() => change(id, () => end(id))}>
              Sign out
            </Button>
          ),
        ]}
      />
    </div>
  );
}

interface TeamSession {
  readonly id: string;
  readonly principal: string;
  readonly use: "sign-in" | "app" | "shell" | "browser" | "key";
  readonly origin?: string;
  /** Of a key. */
  readonly name?: string;
  /** Its name, or what it said about itself. */
  readonly browser?: string;
  readonly expiresAt?: number;
}

const uses = {
  "sign-in": "With the identity provider",
  app: "A page of the hub",
  shell: "A terminal",
  browser: "A paired browser",
  key: "A personal key",
} as const;

export function Sessions({ session }: { readonly session: Session }) {
  const list = useList<TeamSession>(session, "/api/team/sessions", "sessions");
  const [busy, change] = useChange();
  const end = async ({ id, principal }: TeamSession) => {
    await session.request("DELETE", `/api/team/sessions/${encodeURIComponent(id)}`);
    list.read();
    toast(`That sign-in of ${shortened(principal, 80)} has ended.`);
  };
  return (
    <div class="rules">
      <p>To end all that somebody is signed in with, sign them out among the people.</p>
      <Rows
        label="Sign-ins"
        list={list}
        titles={["Person", "What", "Until", "Change"]}
        keyOf={({ id }) => id}
        empty="Nobody is signed in."
        cells={(row) => [
          shortened(row.principal, 80),
          <>
            {uses[row.use]}
            {row.name !== undefined && `, ${shortened(row.name, 80)}`}
            {row.browser !== undefined && `, ${shortened(browserName(row.browser), 80)}`}
            {row.origin !== undefined && <p class="hint">{shortened(row.origin, 80)}</p>}
          </>,
          row.expiresAt === undefined ? "it is ended" : <Until at={row.expiresAt} />,
          <Button small kind="danger" busy={busy === row.id} onClick={() => change(row.id, () => end(row))}>
            End <span class="visually-hidden">a sign-in of {shortened(row.principal, 80)}</span>
          </Button>,
        ]}
      />
    </div>
  );
}
