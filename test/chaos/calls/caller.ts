// A caller: makes the calls of its plan one after the other, reconnects after cuts, and records the answers.
import { setTimeout as pause } from "node:timers/promises";
import type { Attempt, Call, Door } from "../history.ts";
import type { PlannedAttempt, PlannedCall } from "../plan.ts";
import type { CallerDoor, Sending, Told } from "./door.ts";
import type { WholeAnswer } from "./exchange.ts";
import { sessionEnded } from "./mcp-answer.ts";

export interface CallerOptions {
  readonly name: string;
  readonly doors: Readonly<Record<Door, CallerDoor>>;
  readonly plan: Iterator<PlannedCall, never>;
  /** The id of this tab, if it is open. */
  readonly tabId: (number: number) => string | undefined;
  readonly begun: (call: Call) => void;
  /** Aborted when no new calls may start and no caller may wait any longer before a retry. */
  readonly ending: AbortSignal;
}

/** A call whose attempts are still being recorded. */
type OpenCall = Call & { readonly attempts: Attempt[] };
type OpenAttempt = { -readonly [Name in keyof Attempt]: Attempt[Name] };

/** The same as the hub's limit `callTime`. */
const callTime = 60_000;
/** The time that the hub may need beyond a call's: until its tabs are back after a start, during stops, on a busy machine. */
const grace = 40_000;
/** A wait of at least this long does not block the caller's other calls. */
const long = 5000;

/** Makes calls until the run ends; resolves when all of them are done, including late retries. */
export async function runCaller(options: CallerOptions): Promise<void> {
  const late: Promise<void>[] = [];
  while (!options.ending.aborted) {
    const { value: planned } = options.plan.next();
    const call = begin(planned, options);
    await makeAttempts(planned.attempts, { planned, call, options, late });
    await waitFor(planned.pause, options.ending);
  }
  await Promise.all(late);
}

/** Sends a call once more, after the run. */
export async function sendAgain(call: Call, door: Door, options: CallerOptions): Promise<void> {
  const planned = { door, wait: 0, leave: undefined, seconds: undefined };
  await comeBack(planned, { call: call as OpenCall, options, isSentAgain: true });
}

function begin(planned: PlannedCall, { name, tabId, begun }: CallerOptions): OpenCall {
  const { tag, hasKey, app, isReadOnly, work, tab } = planned;
  const call = {
    tag,
    caller: name,
    key: hasKey ? `key-${tag}` : undefined,
    tool: `${app}_${isReadOnly ? "read" : "write"}`,
    isReadOnly,
    work,
    tab: tab === undefined ? undefined : tabId(tab),
    attempts: [],
  };
  begun(call);
  return call;
}

interface Making {
  readonly planned: PlannedCall;
  readonly call: OpenCall;
  readonly options: CallerOptions;
  readonly late: Promise<void>[];
}

async function makeAttempts([next, ...others]: readonly PlannedAttempt[], making: Making): Promise<void> {
  if (next === undefined) return;
  const { planned, call, options, late } = making;
  const isSentAgain = planned.hasKey || planned.isSentAgain;
  const go = async (): Promise<void> => {
    await waitFor(next.wait, options.ending);
    await comeBack(next, { call, options, isSentAgain });
    await makeAttempts(others, making);
  };
  if (next.wait > long) late.push(go());
  else await go();
}

interface Coming {
  readonly call: OpenCall;
  readonly options: CallerOptions;
  readonly isSentAgain: boolean;
}

const mostReturns = 200;

/** Sends a call, and retries it while its connection breaks. */
async function comeBack(planned: PlannedAttempt, { call, options, isSentAgain }: Coming): Promise<void> {
  for (let returns = 0; returns < mostReturns; returns++) {
    const end = await attemptOnce(planned, call, options);
    if (end !== "broken" || !isSentAgain) return;
    await pause(50 + Math.min(returns, 10) * 40);
  }
}

async function attemptOnce(
  { door: name, leave, seconds }: PlannedAttempt,
  call: OpenCall,
  { doors }: CallerOptions,
): Promise<Attempt["end"]> {
  const door = doors[name];
  const { tool, tag, work, tab: tabId, key } = call;
  const input = { tag, work, ...(tabId !== undefined && { tabId }) };
  let sending: Sending;
  try {
    sending = await door.send({ tool, input, key, seconds });
  } catch {
    // Without a session, nothing of this call was sent.
    return "broken";
  }
  const attempt: OpenAttempt = {
    door: name,
    sentAt: Date.now(),
    time: name === "http" && seconds !== undefined ? seconds * 1000 : callTime,
  };
  call.attempts.push(attempt);
  await conclude(attempt, { door, sending, leave });
  if (attempt.answer?.code !== sessionEnded) return attempt.end;
  // The hub did not read the request any further: in its new session the client sends it as if for the first time.
  call.attempts.splice(call.attempts.indexOf(attempt), 1);
  return "broken";
}

interface Concluding {
  readonly door: CallerDoor;
  readonly sending: Sending;
  readonly leave: PlannedAttempt["leave"];
}

async function conclude(attempt: OpenAttempt, { door, sending, leave }: Concluding): Promise<void> {
  const { exchange, cancel } = sending;
  const hangUp = (end: "hung-up" | "hangs") => {
    attempt.end ??= end;
    attempt.endedAt ??= Date.now();
    attempt.hasBegun = exchange.hasBegun;
    exchange.hangUp();
  };
  const timers = [setTimeout(hangUp, attempt.time + grace, "hangs")];
  if (leave?.how === "hang-up") timers.push(setTimeout(hangUp, leave.after, "hung-up"));
  if (leave?.how === "cancel") {
    const leaveOff = () => {
      attempt.cancelledAt = Date.now();
      cancel();
    };
    timers.push(setTimeout(leaveOff, leave.after));
  }
  try {
    const whole = await exchange.answer;
    if (attempt.end === undefined) {
      attempt.end = "answered";
      attempt.answer = { at: Date.now(), ...readBy(door, whole) };
    }
  } catch (error) {
    attempt.problem = String(error);
    attempt.end ??= attempt.cancelledAt === undefined ? "broken" : "hung-up";
  } finally {
    for (const timer of timers) clearTimeout(timer);
    attempt.endedAt ??= Date.now();
    attempt.hasBegun ??= exchange.hasBegun;
  }
}

/** An unreadable answer counts as an answer, and as a wrong one. */
function readBy(door: CallerDoor, whole: WholeAnswer): Told {
  try {
    return door.read(whole);
  } catch (error) {
    const message = `${String(error)} (${whole.status}): ${whole.text.slice(0, 300)}`;
    return { outcome: "unreadable", ran: "maybe", code: "unreadable", message, isReplay: false };
  }
}

async function waitFor(milliseconds: number, ending: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal: ending }).catch(() => {});
}
