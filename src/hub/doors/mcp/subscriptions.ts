import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Server } from "@modelcontextprotocol/server";
import type { AgentSession } from "../../../switchboard/index.ts";

export interface SubscriptionOptions {
  readonly agent: AgentSession;
  readonly tab: string | undefined;
  /** How many resources one session may follow. */
  readonly most: number;
  /** Hears why a client could not be told. */
  readonly onError: (error: unknown) => void;
}

/** Lets a session's client follow resources, and tells it when one has new contents; returns a function that stops it. */
export function subscribeToUpdates(server: Server, { agent, tab, most, onError }: SubscriptionOptions): () => void {
  const followed = new Set<string>();
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    if (followed.size >= most && !followed.has(uri)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The limit mcpSubscriptions of ${most} resources is reached. Unsubscribe from some.`,
      );
    }
    followed.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    followed.delete(uri);
    return {};
  });
  return agent.onUpdate((uri, tabId) => {
    if (followed.has(uri) && (tab === undefined || tab === tabId)) {
      server.sendResourceUpdated({ uri }).catch(onError);
    }
  });
}
