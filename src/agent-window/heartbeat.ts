// Asks the agent's window for signs of life, and says when they stay away too long. A timer that comes late is no sign of a
// dead peer: the browser holds back the timers of a page in the background, or this page was frozen, and its answers
// wait behind the timer. So silence is counted in waits that were planned, never by the clock, and not in a late one that
// follows one on time.
import type { Clock } from "../link/index.ts";

/**
 * What the signs of life are wanted for.
 * - `greeting`: the window was opened and has not been heard yet.
 * - `beating`: it answers.
 * - `parting`: its page was unloaded; it may be a reload.
 * - `retrying`: it stopped answering.
 * - `lingering`: it was given up, but is still there.
 */
export type HeartbeatPhase = "greeting" | "beating" | "parting" | "retrying" | "lingering";

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly interval: number;
  readonly timeout: number;
  ping(phase: HeartbeatPhase): void;
  /** Nothing was heard for as long as this phase waits. The heartbeat has stopped. */
  failed(phase: HeartbeatPhase): void;
}

export interface Heartbeat {
  start(phase: HeartbeatPhase): void;
  /** There was a sign of life. */
  heard(): void;
  stop(): void;
}

const attempts = 5;
/** How often a window is asked that is about to be there. */
const greetTime = 250;
/** How long its page may take to load, at least. */
const greetingTime = 15_000;
/** How long a page that unloads may take to be back. */
const partingTime = 3000;
const lateTime = 1000;

export function createHeartbeat({ clock, interval, timeout, ping, failed }: HeartbeatOptions): Heartbeat {
  const soon = Math.min(greetTime, interval);
  const phases: Readonly<Record<HeartbeatPhase, { readonly wait: number; readonly patience: number }>> = {
    greeting: { wait: soon, patience: Math.max(greetingTime, timeout) },
    beating: { wait: interval, patience: timeout },
    parting: { wait: soon, patience: partingTime },
    retrying: { wait: interval, patience: attempts * interval },
    lingering: { wait: interval, patience: Infinity },
  };
  let phase: HeartbeatPhase = "beating";
  let unanswered = 0;
  let isAsked = false;
  let wasLate = false;
  let stopTimer = () => {};

  function ask(): void {
    const { wait, patience } = phases[phase];
    isAsked = true;
    plan(Math.min(wait, patience - unanswered));
    ping(phase);
  }

  function plan(wait: number): void {
    const due = clock.now() + wait;
    stopTimer = clock.after(wait, () => {
      const isLate = clock.now() - due > lateTime;
      if (isAsked && (wasLate || !isLate)) unanswered += wait;
      wasLate = isLate;
      if (unanswered < phases[phase].patience) ask();
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
    heard() {
      unanswered = 0;
      isAsked = false;
    },
    stop: () => stopTimer(),
  };
}
