// Sends pings to the agent's window, and reports when the answers stop. A late timer does not prove a dead peer: the browser
// throttles the timers of a background page, or this page was frozen, and the answers are queued behind the timer. So
// silence is counted in planned waits, never by the clock, and a late wait does not count
// if it follows one that was on time.
import type { Clock } from "../link/index.ts";

/**
 * The purpose of the pings.
 * - `greeting`: the window was opened and has not answered yet.
 * - `beating`: it answers.
 * - `parting`: its page was unloaded, perhaps by a reload.
 * - `retrying`: it stopped answering.
 * - `lingering`: it was given up, but still exists.
 */
export type HeartbeatPhase = "greeting" | "beating" | "parting" | "retrying" | "lingering";

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly interval: number;
  readonly timeout: number;
  ping(phase: HeartbeatPhase): void;
  /** No answer within the timeout of this phase. The heartbeat has stopped. */
  failed(phase: HeartbeatPhase): void;
}

export interface Heartbeat {
  start(phase: HeartbeatPhase): void;
  /** An answer or another message arrived. */
  answered(): void;
  stop(): void;
}

const attempts = 5;
/** The interval of pings to a window that is about to load. */
const greetTime = 250;
/** The min timeout for its page to load. */
const greetingTime = 15_000;
/** The timeout for an unloading page to be back. */
const partingTime = 3000;
const lateTime = 1000;

export function createHeartbeat({ clock, interval, timeout, ping, failed }: HeartbeatOptions): Heartbeat {
  const soon = Math.min(greetTime, interval);
  const phases: Readonly<Record<HeartbeatPhase, { readonly wait: number; readonly limit: number }>> = {
    greeting: { wait: soon, limit: Math.max(greetingTime, timeout) },
    beating: { wait: interval, limit: timeout },
    parting: { wait: soon, limit: partingTime },
    retrying: { wait: interval, limit: attempts * interval },
    lingering: { wait: interval, limit: Infinity },
  };
  let phase: HeartbeatPhase = "beating";
  let unanswered = 0;
  let isAsked = false;
  let wasLate = false;
  let stopTimer = () => {};

  function ask(): void {
    const { wait, limit } = phases[phase];
    isAsked = true;
    plan(Math.min(wait, limit - unanswered));
    ping(phase);
  }

  function plan(wait: number): void {
    const due = clock.now() + wait;
    stopTimer = clock.after(wait, () => {
      const isLate = clock.now() - due > lateTime;
      if (isAsked && (wasLate || !isLate)) unanswered += wait;
      wasLate = isLate;
      if (unanswered < phases[phase].limit) ask();
      else failed(phase);
    });
  }

  return {
    start(next) {
      stopTimer();
      phase = next;
      unanswered = 0;
      isAsked = false;
      if (phase === "beating") plan(interval);
      else ask();
    },
    answered() {
      unanswered = 0;
      isAsked = false;
    },
    stop: () => stopTimer(),
  };
}
