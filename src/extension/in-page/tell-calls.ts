// The page's calls, as the worker gets them for the popup and the badge.
import type { PageCallEvent } from "../../page/index.ts";
import { shownCallsMost } from "../messages.ts";
import type { FromPage } from "../messages.ts";

export interface ToldCalls {
  tell(event: PageCallEvent): void;
  /** The worker may be another one: it gets the calls that run, and the ends that it missed. */
  repeat(): void;
}

type CallMessage = Extract<FromPage, { readonly type: "call" }>;

/** `post` gives false while the worker is away, `tookStop` whether the person stopped a call that has ended. */
export function createToldCalls(post: (message: FromPage) => boolean, tookStop: (call: string) => boolean): ToldCalls {
  const running = new Map<string, CallMessage>();
  /** Ends that the worker has not heard of. */
  let ended: readonly CallMessage[] = [];

  function tellEnd(message: CallMessage): void {
    if (!post(message)) ended = [...ended, message].slice(-shownCallsMost);
  }

  return {
    tell(event) {
      const { arguments: _, ...call } = event;
      const message = { type: "call", call } as const;
      if (call.event === "started") running.set(call.id, message);
      if (call.event !== "ended") return void post(message);
      running.delete(call.id);
      const isStopped = tookStop(call.id) && call.outcome !== "ok";
      tellEnd(isStopped ? { ...message, stopped: true } : message);
    },
    repeat() {
      const missed = ended;
      ended = [];
      for (const message of missed) tellEnd(message);
      for (const message of running.values()) post(message);
    },
  };
}
