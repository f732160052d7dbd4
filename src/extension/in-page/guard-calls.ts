// Decides about each call of a page's tool before it runs: the site's setting, and the person.
import type { Guard } from "../../webmcp/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { PersonAnswer } from "../messages.ts";
import type { CallMode } from "../settings.ts";
import type { AskPerson } from "./ask-person.ts";

export interface GuardedCalls {
  readonly guard: Guard;
  /** The person stops a call. */
  stop(call: string): void;
  /** The person has allowed this call already, for the hub's policy. */
  allowedOnce(tool: string, input: JsonObject): void;
}

type GuardedCall = Parameters<Guard>[0];

const stopped = "The person stopped this call in their browser. It may have done a part of its work.";
const stoppedBefore = "The person stopped this call in their browser before it ran.";

export function createGuardedCalls(mode: () => CallMode, person: Pick<AskPerson, "ask">): GuardedCalls {
  const stops = new Map<string, AbortController>();
  /** Tools that the person allowed for as long as this document lives, as they described themselves then. */
  const allowed = new Set<string>();
  const once: string[] = [];

  async function mayRun(call: GuardedCall, signal: AbortSignal): Promise<void> {
    const { name, title, description = "", annotations, input, context } = call;
    if (annotations?.readOnlyHint === true || mode() === "all") return;
    if (mode() === "read-only")
      throw refused(`This site's setting allows tools that only read, and "${name}" is none.`);
    const definition = JSON.stringify([name, title, description, annotations]);
    const place = once.indexOf(keyOf(name, input as JsonObject));
    if (place >= 0) return void once.splice(place, 1);
    if (allowed.has(definition)) return;
    const destructive = annotations?.destructiveHint === true;
    const { name: agent } = context.agent;
    const asked = { tool: name, title, description, destructive, agent, arguments: input as JsonObject };
    const answer = await askPerson({ kind: "call", ...asked }, signal);
    if (answer.action !== "allow") {
      throw refused(`The person at the browser did not allow "${name}". Ask them before you try it again.`);
    }
    if (answer.lasts === "document") allowed.add(definition);
  }

  async function askPerson(question: Parameters<AskPerson["ask"]>[0], signal: AbortSignal): Promise<PersonAnswer> {
    try {
      return await person.ask(question, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw refused(`The call was not run: its person cannot be asked about its arguments. ${messageOf(error)}`);
    }
  }

  return {
    async guard(call, run) {
      const { callId, signal } = call.context;
      const stop = new AbortController();
      stops.set(callId, stop);
      try {
        const either = AbortSignal.any([signal, stop.signal]);
        await mayRun(call, either).catch((error: unknown) => {
          throw stop.signal.aborted ? refused(stoppedBefore) : error;
        });
        return await run(either);
      } finally {
        stops.delete(callId);
      }
    },
    stop: (call) => stops.get(call)?.abort(new Error(stopped)),
    allowedOnce(tool, input) {
      once.push(keyOf(tool, input));
      if (once.length > 100) once.shift();
    },
  };
}

function keyOf(tool: string, input: JsonObject): string {
  return JSON.stringify([tool, input]);
}

/** The toolbox reports of such an error that nothing ran. */
function refused(message: string): PagewireError {
  return Object.assign(new PagewireError("action-refused", message), { isUndone: true });
}
