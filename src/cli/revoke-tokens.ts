// `pagewire token revoke`: tokens of jwt mode that are not to be good any more, though they have not ended.
import type { State } from "../state/index.ts";
import { usageError } from "./command.ts";
import { oneLine } from "./console/plain-text.ts";
import type { Printer } from "./console/printer.ts";
import { noteNoHub } from "./find-hub.ts";
import { timeOption } from "./read-time.ts";

export interface RevokeValues {
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

export function revokeTokens(values: RevokeValues, { state, printer, now }: Revoke): void {
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

/** Tokens say to the second when they were issued: in doubt, one was before. */
function timeOf(text: string | undefined, now: Date): number {
  const time = text === undefined ? now.getTime() : timeOption("not-before", text, now);
  return Math.ceil(time / 1000) * 1000;
}
