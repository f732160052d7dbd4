// The people of an organisation, and what they are signed in with.
import { askHub } from "../reach-hub/ask-hub.ts";
import type { AccessedHub } from "../reach-hub/access-hub.ts";
import { all, findPrincipal, listed, said, text, texts, time } from "./shown.ts";
import type { Actions, Asked, Shown } from "./shown.ts";

export const peopleActions: Actions = {
  async "people list"({ hub }) {
    const people = await all(hub, "people");
    const rows = people.map((each) => [
      ...[text(each["principal"]), text(each["name"]), text(each["email"]), texts(each["groups"]).join(", ")],
      ...[each["blocked"] === true ? "blocked" : each["isAdmin"] === true ? "admin" : "", time(each["seenAt"])],
    ]);
    return listed({ people }, [["PRINCIPAL", "NAME", "EMAIL", "GROUPS", "", "SEEN"], ...rows], "Nobody was here yet.");
  },
  "people block <name>": (asked) => setBlocked(asked, true),
  "people unblock <name>": (asked) => setBlocked(asked, false),
  async "people end <name>"({ hub, name }) {
    const principal = await findPrincipal(hub, name);
    await askHub({ ...hub, method: "DELETE", path: `${pathTo(principal)}/access` });
    return said({ ended: principal }, `What ${principal} had signed in has ended.`);
  },
  "sessions list": ({ hub }) => listSessions(hub, "/api/team/sessions"),
  "sessions list <name>": async ({ hub, name }) =>
    listSessions(hub, `/api/team/sessions?principal=${encodeURIComponent(await findPrincipal(hub, name))}`),
  async "sessions end <name>"({ hub, name }) {
    await askHub({ ...hub, method: "DELETE", path: `/api/team/sessions/${encodeURIComponent(name)}` });
    return said({ ended: name }, "The session has ended.");
  },
};

async function setBlocked({ hub, name }: Asked, blocked: boolean): Promise<Shown> {
  const principal = await findPrincipal(hub, name);
  const data = await askHub({ ...hub, method: "POST", path: pathTo(principal), body: { blocked } });
  return said(data, `${principal} ${blocked ? "is blocked" : "may sign in again"}.`);
}

async function listSessions(hub: AccessedHub, path: string): Promise<Shown> {
  const sessions = await all(hub, "sessions", path);
  const rows = sessions.map((each) => [
    ...[text(each["principal"]), text(each["use"]), text(each["browser"]) || text(each["origin"])],
    ...[each["expiresAt"] === undefined ? "never" : time(each["expiresAt"]), text(each["id"])],
  ]);
  return listed({ sessions }, [["PRINCIPAL", "KIND", "WHERE", "ENDS", "ID"], ...rows], "Nobody is signed in.");
}

function pathTo(principal: string): string {
  return `/api/team/people/${encodeURIComponent(principal)}`;
}
