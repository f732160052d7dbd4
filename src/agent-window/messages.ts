// What a parent page and the agent's window say to each other, as plain objects over a window or a port. The first half is
// the protocol of every such bridge; the second only between two of ours.
import type { ErrorCode, JsonObject, TraceContext } from "../wire/index.ts";
import type { WindowTool } from "./tool-definition.ts";

/** By type: what a parent tells the agent's window. */
export interface FromParent {
  readonly tools_list: { readonly tools: readonly WindowTool[] };
  readonly inject_message: { readonly message: string; readonly autoSend?: boolean };
  readonly tool_response: ToolResponse;
  readonly ping: { readonly timestamp?: number };
  /** Ours. Comes with a port, which carries everything from then on; `nonce` is the one of `agent_ready`. */
  readonly parent_port: { readonly nonce: string; readonly batches?: true };
  readonly tool_progress: {
    readonly call_id: string;
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
  /** Ours. The page is being reloaded, left or closed, and its port with it. */
  readonly parent_bye: Record<never, never>;
}

/** By type: what the agent's window tells its parent. */
export interface FromAgent {
  readonly tool_call: {
    readonly call_id: string;
    readonly tool_name: string;
    readonly arguments?: JsonObject;
    /** Ours, in the place of `arguments`: the text of their JSON, to a page that takes several messages in one. */
    readonly json?: string;
    /** Ours. When the agent gives it up, by `Date.now()`: two windows have one clock, and a page that was frozen is late. */
    readonly until?: number;
    /** Ours. It was sent before: a page that does not know it must not run it, for another may have. */
    readonly again?: true;
    /** Ours. The result may be sent as the text of its JSON, which windows copy much faster than objects. */
    readonly takes_json?: true;
    /** Ours. Where the call is in a trace. */
    readonly trace?: TraceContext;
  };
  readonly pong: { readonly timestamp?: number };
  /**
   * Ours. The window is there, and would have a port; a parent of another make passes it over. `page` is another one after
   * a reload: all that the page before may not have had is sent again. `batches`, here and in `parent_port`: several messages
   * may come over the port in one, as a list.
   */
  readonly agent_ready: {
    readonly nonce: string;
    readonly pagewire: 1;
    readonly page?: string;
    readonly batches?: true;
  };
  readonly tool_cancel: { readonly call_id: string };
  /** Ours. Another page opened this window again, and is its parent now. */
  readonly parent_replaced: Record<never, never>;
  /** Ours. The user closed the assistant, or it went to another page. */
  readonly agent_bye: Record<never, never>;
}

export type ToolResponse =
  | {
      readonly call_id: string;
      readonly success: true;
      readonly result?: unknown;
      /** Ours, in the place of `result`: the text of its JSON, for a call that takes it. */
      readonly json?: string;
    }
  | {
      readonly call_id: string;
      readonly success: false;
      readonly error: string;
      /** Ours: a code of wire/errors.ts. */
      readonly code?: ErrorCode;
    };

/** A message as it is sent. Read, its fields may also stand beside `type`. */
export type Envelope<Messages> = {
  [Type in keyof Messages]: { readonly type: Type; readonly payload: Messages[Type] };
}[keyof Messages];
