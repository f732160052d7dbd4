import type { AiHttpError, AiMessage, AiNotSaved, AiToolCall, AiToolCallState, AiUsage } from "../ai/index.ts";

declare global {
  interface HTMLElementEventMap extends AiAgentEventMap {}
  interface DocumentEventMap extends AiAgentEventMap {}
}

/** The `detail` of each event of `<ai-agent>`. All of them bubble. */
export interface AiAgentEventMap {
  "ai-agent:content-changed": CustomEvent<string>;
  "ai-agent:messages-changed": CustomEvent<AiMessage[]>;
  "ai-agent:usage-changed": CustomEvent<AiUsage | null>;
  "ai-agent:loading-changed": CustomEvent<boolean>;
  "ai-agent:streaming-changed": CustomEvent<boolean>;
  "ai-agent:error": CustomEvent<AiHttpError | Error | null>;
  "ai-agent:trigger-changed": CustomEvent<boolean>;
  "ai-agent:reasoning-changed": CustomEvent<string>;
  "ai-agent:object-changed": CustomEvent<unknown>;
  "ai-agent:tool-calls-changed": CustomEvent<AiToolCallState[]>;
  "ai-agent:not-saved-changed": CustomEvent<AiNotSaved | null>;
  "ai-agent:tool-call-requested": CustomEvent<{ readonly toolCall: AiToolCall }>;
  "ai-agent:tool-call-completed": CustomEvent<ToolCallOutcome>;
  "ai-agent:connection-changed": CustomEvent<AgentConnection>;
  "ai-agent:conversation-changed": CustomEvent<string | null>;
}

type ToolCallOutcome = { readonly toolCall: AiToolCall } & ({ readonly result: unknown } | { readonly error: string });

/** The state of the connection to a remote core: `waiting` for the next attempt, `local` if the core is in the page. */
export type AgentConnection = "local" | "connecting" | "open" | "waiting" | "closed";
