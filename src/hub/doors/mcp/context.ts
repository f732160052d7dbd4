// The parts that both kinds of clients share: those with a session, and those of revision 2026-07-28 without.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestId } from "../../../mcp/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { OpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import type { Refusal } from "./reply.ts";

export interface McpContext {
  readonly door: Door;
  readonly answers: OpenAnswers;
  readonly note: (stage: "request" | "server" | "session", message: string) => void;
  /** Refuses a request before it is dispatched. */
  readonly refuse: (exchange: HttpExchange, refusal: Refusal, id?: RequestId | null) => void;
  /** Called when a client was cut off because it does not read. */
  readonly onSlow: () => void;
  /** Receives errors that no client caused. */
  readonly onFailure: (error: unknown) => void;
}

/** An HTTP request and its context. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  /** The tab in the URL; undefined for all tabs. */
  readonly tab: string | undefined;
}
