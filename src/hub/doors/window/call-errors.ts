// The errors of a call to a tool of the page that opened an agent's window, with messages for the model.
import { PagewireError } from "../../../wire/index.ts";
import type { Limits, Outcome } from "../../../wire/index.ts";

interface Named {
  readonly name: string;
}

interface BegunCall extends Named {
  /** The progress so far, as text. */
  readonly soFar: string;
}

interface FailedCall extends BegunCall {
  readonly isSent: boolean;
}

export function notOffered({ name }: Named): PagewireError {
  return new PagewireError("tool-not-found", `The app that offered "${name}" does not offer it any more.`);
}

/** The origin is no longer allowed. */
export function originRemoved({
  origin,
  ...call
}: FailedCall & { readonly origin: string | undefined }): PagewireError {
  const end = call.isSent ? unknownEnd(call) : `"${call.name}" did not run.`;
  return new PagewireError("origin-not-allowed", `Pages of ${origin} may not use this hub any more: ${end}`);
}

export function notConnected({ name }: Named): PagewireError {
  const message = `"${name}" did not run: the window that leads to the app is not connected. The user can open it again.`;
  return new PagewireError("not-delivered", message);
}

/** The policy changed while the model answered, and the user was not asked. */
export function notAllowed({ name }: Named, why: string): PagewireError {
  const message = `"${name}" did not run: ${why}. Call it again, so that the user is asked.`;
  return new PagewireError("policy-unasked", message);
}

export function tooLarge({ name }: Named, { frameBytes }: Pick<Limits, "frameBytes">): PagewireError {
  const message = `The arguments of "${name}" are larger than the limit frameBytes of ${frameBytes} bytes.`;
  return new PagewireError("frame-too-large", message);
}

export function stopped({ name }: Named): PagewireError {
  return new PagewireError("cancelled", `The call of "${name}" was stopped.`);
}

export function unreadable({ name }: Named, { jsonDepth }: Pick<Limits, "jsonDepth">): PagewireError {
  const message = `The app's answer to "${name}" cannot be read, or nests deeper than the limit jsonDepth of ${jsonDepth}.`;
  return new PagewireError("frame-malformed", message);
}

/** The error for a call that the switchboard ended. */
export function endOf({ outcome, ran }: Outcome, call: BegunCall, limits: Limits): PagewireError {
  if (outcome === "rejected") return tooMany(limits);
  if (ran === "no") return notConnected(call);
  return outcome === "deadline-exceeded" ? late(call, limits) : lost(call);
}

function tooMany({ callsPerTab }: Limits): PagewireError {
  const message = `The app has ${callsPerTab} calls to answer already (limit callsPerTab). Wait for one.`;
  return new PagewireError("calls-too-many", message);
}

/** The window did not reconnect. */
function lost(call: BegunCall): PagewireError {
  const message = `The window that leads to the app was lost while "${call.name}" ran: ${unknownEnd(call)}`;
  return new PagewireError("outcome-unknown", message);
}

function late(call: BegunCall, { parentCallTime }: Limits): PagewireError {
  const message = `"${call.name}" gave no answer within ${parentCallTime} ms (limit parentCallTime): ${unknownEnd(call)}`;
  return new PagewireError("deadline-exceeded", message);
}

function unknownEnd({ soFar }: BegunCall): string {
  const progress = soFar === "" ? "" : ` It had come to ${JSON.stringify(soFar)}.`;
  return `whether it did anything is not known.${progress} Look before you call it again.`;
}
