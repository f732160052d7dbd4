import { defineCommand, commonOptions, usageError, timeOption } from "../common/command.ts";
import { openOwnState, noteNoHub } from "../reach-hub/find-hub.ts";
import type { State } from "../../state/index.ts";
import { oneLine } from "../common/plain-text.ts";
import type { Printer } from "../common/printer.ts";

export const token = defineCommand({
  name: "token",
  summary: "Show or change the token that agents bring, or revoke tokens of jwt mode.",
  usage: "show|rotate|revoke",
  positionals: { min: 1, max: 1 },
  options: {
    shell: { type: "boolean", summary: "The shell key instead, with which terminals are opened." },
    id: { type: "string", value: "ID", summary: "revoke: the one token with this id (its claim jti)." },
    subject: { type: "string", value: "NAME", summary: "revoke: all tokens of this subject until now." },
    "not-before": { type: "string", value: "TIME", summary: "revoke: those that were issued before this time." },
    remove: { type: "boolean", summary: "revoke: take this revocation back." },
    list: { type: "boolean", summary: "revoke: list what is revoked." },
    ...commonOptions,
  },
  notes: [
    "Anyone with the token can call every tool of every open page. Rotating it disconnects, within a second, every agent that used the old one, every browser that was signed in to the assistant, and every terminal that `pagewire attach-browser` made.",
    "Anyone with the shell key can open terminals, which are shells of yours, at your hub, and can switch terminals on where it runs without them. Rotating it disconnects, within a second, every page that used the old one, and ends the terminals that were opened with it and the programs in them. To sign out one browser alone, press `Sign out of terminals` in its page.",
    "In jwt mode tokens are signed elsewhere, and end at their own time. Revoked, they end within a second: with them connections, and sign-ins and terminals that were made with them. For a subject that is everything until now; tokens that are issued from the next second on are good. Each state directory has its own revocations; several hubs that share a database follow each other's.",
  ],
  examples: [
    "pagewire token show",
    "pagewire token rotate",
    "pagewire token rotate --shell",
    "pagewire token revoke --id 5b1f0c52",
    "pagewire token revoke --subject ann",
    "pagewire token revoke --subject ann --not-before 2026-01-31T12:00:00Z",
  ],
  async run({ io, printer, values, positionals: [action = ""] }) {
    const state = openOwnState(io);
    if (action === "revoke") {
      if (values.shell) throw usageError("--shell is for show and rotate: in jwt mode there is no shell key.");
      revokeTokens(values, { state, printer, now: io.now() });
      return 0;
    }
    refuseRevokeOptions(values);
    const secret = values.shell ? shellKeyOf(state) : agentTokenOf(state);
    if (action === "show") {
      const value = secret.read();
      if (printer.json) printer.data({ [secret.name]: value });
      else printer.line(value);
    } else if (action === "rotate") {
      secret.rotate();
      if (printer.json) printer.data({ rotated: true });
      else printer.line(secret.rotated);
    } else {
      const flag = values.shell ? " --shell" : "";
      throw usageError(
        `"${action}" cannot be done to the ${values.shell ? "shell key" : "token"}. Write: npx pagewire token show${flag}, or: npx pagewire token rotate${flag}`,
      );
    }
    return 0;
  },
});

function refuseRevokeOptions({ id, subject, "not-before": notBefore, remove, list }: RevokeValues): void {
  if ([id, subject, notBefore].every((value) => value === undefined) && !remove && !list) return;
  throw usageError("--id, --subject, --not-before, --remove and --list are for: npx pagewire token revoke");
}

interface Secret {
  readonly name: string;
  read(): string;
  rotate(): string;
  /** The message after a rotation. */
  readonly rotated: string;
}

function agentTokenOf({ agentToken, rotateAgentToken }: State): Secret {
  const rotated =
    "The token is a new one. Agents that came with the old one are cut off. See it with: npx pagewire token show";
  return { name: "token", read: agentToken, rotate: rotateAgentToken, rotated };
}

function shellKeyOf({ shellKey, rotateShellKey }: State): Secret {
  const rotated =
    "The shell key is a new one. Pages with terminals are cut off, and their shells ended. Open one again with: npx pagewire terminal";
  return { name: "shellKey", read: shellKey, rotate: rotateShellKey, rotated };
}

interface RevokeValues {
  readonly id: string | undefined;
  readonly subject: string | undefined;
  readonly "not-before": string | undefined;
  readonly remove: boolean;
  readonly list: boolean;
}

interface Revoke {
  readonly state: Pick<State, "revoke" | "unrevoke" | "revocations" | "directory" | "runningHub">;
  readonly printer: Printer;
  readonly now: Date;
}

function revokeTokens(values: RevokeValues, { state, printer, now }: Revoke): void {
  const { id, subject, "not-before": notBefore, remove, list } = values;
  if ([list, id !== undefined, subject !== undefined].filter(Boolean).length !== 1 || (list && remove))
    throw usageError("Give --id ID, or --subject NAME, or --list. See: npx pagewire help token");
  if (notBefore !== undefined && (subject === undefined || remove))
    throw usageError("--not-before is for a --subject that is revoked.");
  if (id === "" || subject === "") throw usageError("An id or a subject has at least one character.");
  const said = list ? undefined : change();
  const { ids, subjects } = state.revocations();
  const found = {
    ids: [...ids],
    subjects: [...subjects].map(([name, time]) => ({ subject: name, notBefore: new Date(time).toISOString() })),
  };
  if (printer.json) printer.data(found);
  else if (said !== undefined) {
    printer.line(said);
    noteNoHub(state, printer);
  } else {
    for (const each of found.ids) printer.line(`id ${oneLine(each)}`);
    for (const each of found.subjects) printer.line(`subject ${oneLine(each.subject)}, before ${each.notBefore}`);
    if (found.ids.length + found.subjects.length === 0) printer.line("No token is revoked.");
  }

  function change(): string {
    const whose = id === undefined ? `of the subject ${oneLine(subject ?? "")}` : `with the id ${oneLine(id)}`;
    if (remove) {
      const was = state.unrevoke(id === undefined ? { subject: subject ?? "" } : { id });
      return was ? `Tokens ${whose} are good again, until they end.` : `Tokens ${whose} were not revoked.`;
    }
    if (id !== undefined)
      return state.revoke({ id }) ? `Tokens ${whose} are revoked.` : `Tokens ${whose} were revoked before.`;
    const time = timeOf(notBefore, now);
    const isNew = state.revoke({ subject: subject ?? "", notBefore: time });
    const when = `issued before ${new Date(time).toISOString()}`;
    return `Tokens ${whose} that were ${when} are ${isNew ? "" : "already "}revoked.`;
  }
}

/** Tokens have their time of issue in whole seconds: in doubt, one was issued before. */
function timeOf(text: string | undefined, now: Date): number {
  const time = text === undefined ? now.getTime() : timeOption("not-before", text, now);
  return Math.ceil(time / 1000) * 1000;
}
