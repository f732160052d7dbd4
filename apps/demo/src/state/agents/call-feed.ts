// Joins what a page tells of its calls with what their handlers are told of the callers, who have a version there.
import type { Page, PageCallEvent } from "pagewire/page";
import type { CallContext, CallerInfo } from "pagewire/toolbox";

/** One moment in the life of a call. */
export interface AgentCall extends PageCallEvent {
  /** Who calls, once a handler was told; a call that is refused before never gets there. */
  readonly caller?: CallerInfo | undefined;
}

/** Hears of calls as `page.onCall` does, in the same order. */
export interface CallFeed {
  onCall(listener: (call: AgentCall) => void): void;
  /** What the handler of a call was told, before it began. */
  told(context: Pick<CallContext, "callId" | "agent">): void;
}

/** Makes the feed of a page. A call's first moment waits for its handler, which runs as soon as its input was checked. */
export function createCallFeed(page: Pick<Page, "onCall">): CallFeed {
  const listeners: ((call: AgentCall) => void)[] = [];
  const waiting = new Map<string, PageCallEvent>();
  const callers = new Map<string, CallerInfo>();

  function tell(event: PageCallEvent): void {
    for (const listener of listeners) listener({ ...event, caller: callers.get(event.id) });
  }

  function begin(id: string): void {
    const event = waiting.get(id);
    waiting.delete(id);
    if (event !== undefined) tell(event);
  }

  page.onCall((event) => {
    if (event.event === "started") return void waiting.set(event.id, event);
    begin(event.id);
    tell(event);
    if (event.event === "ended") callers.delete(event.id);
  });

  return {
    onCall: (listener) => void listeners.push(listener),
    told({ callId, agent }) {
      if (!waiting.has(callId)) return;
      callers.set(callId, agent);
      begin(callId);
    },
  };
}
