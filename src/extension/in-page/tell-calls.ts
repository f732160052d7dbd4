// The page's calls, as the worker hears of them for the popup and the badge.
import type { PageCallEvent } from "../../page/index.ts";
import { shownCallsMost } from "../messages.ts";
import type { FromPage } from "../messages.ts";

export interface ToldCalls {
  tell(event: PageCallEvent): void;
  /** The worker may be another one: it hears of the calls that run, and of ends that it missed. */
  repeat(): void;
}

/** `post` gives false while the worker is away. */
export function createToldCalls(post: (message: FromPage) => boolean): ToldCalls {
  const running = new Map<string, PageCallEvent>();
  /** Ends that the worker has not heard of. */
  let ended: readonly PageCallEvent[] = [];

  function tell(event: PageCallEvent): void {
    const { arguments: _, ...call } = event;
    if (call.event === "started") running.set(call.id, call);
    if (call.event === "ended") running.delete(call.id);
    const isHeard = post({ type: "call", call });
    if (call.event === "ended" && !isHeard) ended = [...ended, call].slice(-shownCallsMost);
  }

  return {
    tell,
    repeat() {
      const missed = ended;
      ended = [];
      for (const call of [...missed, ...running.values()]) tell(call);
    },
  };
}
