// People's sign-ins: one's own, and for admins those of everyone in the organisation.
import { showInvisible } from "pagewire/wire";
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
        You are {showInvisible(nameOf(session.info))}: <code>{showInvisible(session.info.principal)}</code>
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
            {showInvisible(browserName(browser ?? "A browser"))} {isCurrent && <Badge tone="ok">this one</Badge>}
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
  readonly use: "sign-in" | "app" | "shell" | "browser";
  readonly origin?: string;
  /** Its name, or what it said about itself. */
  readonly browser?: string;
  readonly expiresAt?: number;
}

const uses = {
  "sign-in": "With the identity provider",
  app: "A page of the hub",
  shell: "A terminal",
  browser: "A paired browser",
} as const;

export function Sessions({ session }: { readonly session: Session }) {
  const list = useList<TeamSession>(session, "/api/team/sessions", "sessions");
  const [busy, change] = useChange();
  const end = async ({ id, principal }: TeamSession) => {
    await session.request("DELETE", `/api/team/sessions/${encodeURIComponent(id)}`);
    list.read();
    toast(`That sign-in of ${showInvisible(principal)} has ended.`);
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
          showInvisible(row.principal),
          <>
            {uses[row.use]}
            {row.browser !== undefined && `, ${showInvisible(browserName(row.browser))}`}
            {row.origin !== undefined && <p class="hint">{showInvisible(row.origin)}</p>}
          </>,
          row.expiresAt === undefined ? "it is ended" : <Until at={row.expiresAt} />,
          <Button small kind="danger" busy={busy === row.id} onClick={() => change(row.id, () => end(row))}>
            End <span class="visually-hidden">a sign-in of {showInvisible(row.principal)}</span>
          </Button>,
        ]}
      />
    </div>
  );
}
