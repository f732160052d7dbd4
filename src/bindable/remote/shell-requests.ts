import type { Json } from "../../wire/index.ts";
import { copyJson } from "./copy-json.ts";
import type { ClientMessage } from "./messages.ts";
import { isReservedName } from "./names.ts";
import type { DeclaredNames } from "./names.ts";
import { remoteError, toWireError } from "./remote-error.ts";
import type { ShellClient } from "./shell-client.ts";
import type { ShellContext } from "./shell-context.ts";

type Request = Extract<ClientMessage, { type: "set" | "cmd" }>;

/** Who asks, and how it is answered. */
export interface Requester {
  readonly client: ShellClient;
  /** Whether it is one of Pagewire's. */
  readonly isOurs: boolean;
  /** Says no: to the id, or where there is none in the log. */
  refuse(id: string | undefined, error: unknown): void;
}

/** Does what a message with a name asks for, once for each id; answers where it has one. */
export function perform(context: ShellContext, { client, isOurs, refuse }: Requester, request: Request): void {
  const { logger } = context;
  const { id, name } = request;
  const { commands } = client;
  if (id !== undefined && commands.has(id)) {
    const outcome = commands.outcome(id);
    // After a cut a client of Pagewire asks again for what it still waits for.
    if (outcome) client.attachment?.answer(outcome);
    else if (!isOurs) logger.warn("A message was dropped: its id is that of one that is not answered yet.");
    return;
  }
  let work: (signal: AbortSignal) => unknown;
  try {
    check(isOurs ? context.full : context.plain, request);
    if (id !== undefined && commands.size >= context.limits.commandsInFlight) {
      throw remoteError(
        "PAGEWIRE_TOO_MANY_CALLS",
        `${commands.size} calls are unanswered already (limit commandsInFlight). Wait for one of them.`,
      );
    }
    work = workOf(context, request);
  } catch (error) {
    return refuse(id, error);
  }
  if (id !== undefined) return commands.run(id, work);
  try {
    work(new AbortController().signal);
  } catch (error) {
    logger.error(`The input "${name}" was not set: ${toWireError(error).message}`);
  }
}

function check(names: DeclaredNames, { type, name }: Request): void {
  const shown = JSON.stringify(name.slice(0, 100));
  if (isReservedName(name)) throw remoteError("WC_BINDABLE_RESERVED_NAME", `${shown} is a reserved name.`);
  if (type === "cmd" && !names.commands.has(name)) {
    throw remoteError("WC_BINDABLE_UNDECLARED_COMMAND", `${shown} is not among the declared commands.`);
  }
  if (type === "set" && !names.inputs.has(name)) {
    throw remoteError("WC_BINDABLE_UNDECLARED_INPUT", `${shown} is not among the declared inputs.`);
  }
}

/** What a message asks for, its values checked. */
function workOf({ core, bounds, call }: ShellContext, request: Request): (signal: AbortSignal) => unknown {
  const { name } = request;
  if (request.type === "cmd") {
    const args = copyJson(request.args, bounds) as readonly Json[];
    return (signal) => call({ name, args, signal });
  }
  const value = request.value === undefined ? undefined : copyJson(request.value, bounds);
  return () => {
    (core as unknown as Record<string, unknown>)[name] = value;
  };
}
