import type { AgentIdentity, AgentSession, CallListener, Switchboard } from "../../switchboard/index.ts";
import type { CallSpan, TracedTab, Tracing } from "./create-tracing.ts";
import { messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { createTracing } from "./create-tracing.ts";

/** A switchboard whose calls are recorded as spans. Each page receives the context of its call's span. */
export function traceCalls(switchboard: Switchboard, tracing: Tracing): Switchboard {
  return {
    ...switchboard,
    agent: (identity) => traced(switchboard.agent(identity), identity, tracing),
  };
}

function traced(session: AgentSession, agent: AgentIdentity, tracing: Tracing): AgentSession {
  return {
    ...session,
    call(request, listener) {
      const span = tracing.begin(request, agent);
      if (!span) return session.call(request, listener);
      let tab: TracedTab | undefined;
      const acked = (tabId: string) => (tab = { tabId, app: session.appOf(tabId) });
      try {
        const watched = listenerOf(listener, { acked, ended: (outcome) => span.ended(outcome, tab) });
        const handle = session.call({ ...request, trace: span.trace }, watched);
        return {
          get id() {
            return handle.id;
          },
          cancel: (reason) => handle.cancel(reason),
          received: () => handle.received(),
          answer: (ask, answer) => handle.answer(ask, answer),
          cut() {
            handle.cut();
            span.left(tab);
          },
        };
      } catch (error) {
        span.left();
        throw error;
      }
    },
  };
}

/** Wraps a listener to update the span too. It has `ask` only if the wrapped one does. */
function listenerOf(
  listener: CallListener,
  span: { acked(tabId: string): void; ended: CallSpan["ended"] },
): CallListener {
  return {
    ended(outcome) {
      span.ended(outcome);
      listener.ended(outcome);
    },
    acked(tabId) {
      span.acked(tabId);
      listener.acked?.(tabId);
    },
    progress: (progress, total, message) => listener.progress?.(progress, total, message),
    log: (level, data, logger) => listener.log?.(level, data, logger),
    ...(listener.ask && { ask: (ask, method, parameters) => listener.ask?.(ask, method, parameters) }),
  };
}

/** Undefined if the API of OpenTelemetry is not installed. */
export async function loadTracing(note: Note): Promise<Tracing | undefined> {
  try {
    return createTracing(await import("@opentelemetry/api"), note);
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) note("error", "tracing-failed", { message: messageOf(error) });
    return undefined;
  }
}
