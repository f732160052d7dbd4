// Decides about each call of a page's tool before it runs: the site's setting, and the person.
import { unlessAborted } from "../../toolbox/index.ts";
import type { Guard } from "../../webmcp/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { PersonAnswer } from "../messages.ts";
import type { CallMode } from "../settings.ts";
import type { AskPerson } from "./ask-person.ts";
import { readsOnly } from "./reads-only.ts";

export interface GuardedCalls {
  readonly guard: Guard;
  /** The person stops a call, also one that this guard has not seen yet. */
  stop(call: string): void;
  /** Does a part of a call with a signal that aborts when the person stops it. */
  untilStopped<Result>(call: Stoppable, run: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** The document is left: what was allowed in it is over. */
  leave(): void;
  /** Whether the person stopped a call that has ended; it is forgotten then. */
  tookStop(call: string): boolean;
  /** The person has allowed this call already, for the hub's policy: it runs now. */
  allowedOnce(agent: string, tool: string, input: JsonObject): void;
}

type GuardedCall = Parameters<Guard>[0];
type Stoppable = Pick<GuardedCall["context"], "callId" | "signal">;

const stopped = "The person stopped this call in their browser. It may have done a part of its work.";
const stoppedBefore = "The person stopped this call in their browser before it ran.";
/** The most stopped calls that are remembered. */
const stoppedMost = 100;

/** How long a call that the person has allowed may take to come here, in milliseconds. */
const onceTime = 10_000;

export function createGuardedCalls(
  mode: () => CallMode,
  person: Pick<AskPerson, "ask">,
  now: () => number = Date.now,
): GuardedCalls {
  const stops = new Map<string, AbortController>();
  const stoppedCalls = new Set<string>();
  /** Pairs of an agent and a tool's definition that the person allowed until the document is left. */
  const allowed = new Set<string>();
  let once: readonly { readonly call: string; readonly until: number }[] = [];

  /** Whether the person has allowed this very call a moment ago, which counts once. */
  function takeOnce(call: string): boolean {
    once = once.filter(({ until }) => until > now());
    const taken = once.find((each) => each.call === call);
    once = once.filter((each) => each !== taken);
    return taken !== undefined;
  }

  async function mayRun(call: GuardedCall, signal: AbortSignal): Promise<void> {
    const isAllowed = takeOnce(keyOf(call.context.agent.name, call.name, call.input as JsonObject));
    const isAsked = mode() !== "all";
    if (!isAsked && !isAllowed) return;
    if (isAsked && !readsOnly(call)) await mayChange(call, signal, isAllowed);
    // The page may have replaced the tool since it was read, or while the person was asked.
    if (!(await unlessAborted(isSame(call), signal))) {
      throw refused(`"${call.name}" changed before this call, which did not run. Look at the page's tools again.`);
    }
  }

  async function mayChange(call: GuardedCall, signal: AbortSignal, isAllowed: boolean): Promise<void> {
    const { name, title, description = "", annotations, input, context } = call;
    if (mode() === "read-only")
      throw refused(`This site's setting allows tools that only read, and "${name}" is none.`);
    const { name: agent } = context.agent;
    const lasting = JSON.stringify([agent, name, title, description, annotations, call.inputSchema, call._meta]);
    if (isAllowed || allowed.has(lasting)) return;
    const destructive = annotations?.destructiveHint === true;
    const asked = { tool: name, title, description, destructive, agent, arguments: input as JsonObject };
    const answer = await askPerson({ kind: "call", ...asked }, signal);
    if (answer.action !== "allow") {
      if (answer.action === "refuse" && answer.isUnasked) throw refused(refusedOften);
      throw refused(`The person at the browser did not allow "${name}". Ask them before you try it again.`);
    }
    if (answer.lasts === "document") allowed.add(lasting);
  }

  async function askPerson(question: Parameters<AskPerson["ask"]>[0], signal: AbortSignal): Promise<PersonAnswer> {
    try {
      return await person.ask(question, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw refused(`The call was not run: its person cannot be asked about its arguments. ${messageOf(error)}`);
    }
  }

  async function untilStopped<Result>(
    { callId, signal }: Stoppable,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController();
    stops.set(callId, stop);
    try {
      return await run(AbortSignal.any([signal, stop.signal]));
    } finally {
      stops.delete(callId);
    }
  }

  return {
    untilStopped,
    guard: (call, run) =>
      untilStopped(call.context, async (signal) => {
        const { callId } = call.context;
        const isStopped = () => stoppedCalls.has(callId);
        if (isStopped()) throw refused(stoppedBefore);
        await mayRun(call, signal).catch((error: unknown) => {
          throw isStopped() ? refused(stoppedBefore) : error;
        });
        return run(signal);
      }),
    stop(call) {
      stoppedCalls.add(call);
      const [oldest = ""] = stoppedCalls;
      if (stoppedCalls.size > stoppedMost) stoppedCalls.delete(oldest);
      stops.get(call)?.abort(new Error(stopped));
    },
    leave() {
      allowed.clear();
      once = [];
    },
    tookStop: (call) => stoppedCalls.delete(call),
    allowedOnce(agent, tool, input) {
      once = [...once, { call: keyOf(agent, tool, input), until: now() + onceTime }].slice(-100);
    },
  };
}

/** Whether the browser still lists the tool as it was joined. */
async function isSame({ listed, find }: GuardedCall): Promise<boolean> {
  return listed === undefined || describe(await find(listed)) === describe(listed);
}

function describe(listed: GuardedCall["listed"]): string | undefined {
  if (!listed) return undefined;
  const { title, description, inputSchema, annotations, origin } = listed;
  return JSON.stringify([title, description, inputSchema, annotations, origin]);
}

const refusedOften =
  "The person at the browser has refused you several times in a row, and is not asked for a minute. Ask them before you try again.";

function keyOf(agent: string, tool: string, input: JsonObject): string {
  return JSON.stringify([agent, tool, input]);
}

/** The toolbox reports of such an error that nothing ran. */
function refused(message: string): PagewireError {
  return Object.assign(new PagewireError("action-refused", message), { isUndone: true });
}
