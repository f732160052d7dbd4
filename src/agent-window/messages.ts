// The messages between a parent page and the agent's window, as plain objects over a window or a port. The first half is the
// protocol of every such bridge; the messages and fields marked "ours" are only sent between two of ours.
import type { ErrorCode, JsonObject, TraceContext } from "../wire/index.ts";
import type { WindowTool } from "./tool-definition.ts";

/** Messages of a parent to the agent's window, by type. */
export interface FromParent {
  readonly tools_list: { readonly tools: readonly WindowTool[] };
  readonly inject_message: { readonly message: string; readonly autoSend?: boolean };
  readonly tool_response: ToolResponse;
  readonly ping: { readonly timestamp?: number };
  /** Ours. Comes with a port for all further messages; `nonce` is that of `agent_ready`, `title` the page's. */
  readonly parent_port: { readonly nonce: string; readonly batches?: true; readonly title?: string };
  readonly tool_progress: {
    readonly call_id: string;
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
  /** Ours. The page is being reloaded, left or closed, and its port with it. */
  readonly parent_bye: Record<never, never>;
}

/** Messages of the agent's window to its parent, by type. */
export interface FromAgent {
  readonly tool_call: {
    readonly call_id: string;
    readonly tool_name: string;
    readonly arguments?: JsonObject;
    /** Ours, instead of `arguments`: their JSON text, for a page that accepts several messages in one. */
    readonly json?: string;
    /** Ours. The agent's deadline, by `Date.now()`: two windows share a clock, and a page that was frozen may be late. */
    readonly until?: number;
    /** Ours. It was sent before: a page that does not know it must not run it, for another may have run it. */
    readonly again?: true;
    /** Ours. The result may be sent as JSON text, which windows copy much faster than objects. */
    readonly takes_json?: true;
    /** Ours. The call's position in a trace. */
    readonly trace?: TraceContext;
  };
  readonly pong: { readonly timestamp?: number };
  /**
   * Ours. The window is ready, and asks for a port; another vendor's parent ignores it. A new `page` means a reload: all
   * messages that the previous page may have missed are sent again. `batches`, here and in `parent_port`: one message over the
   * port may be a list of several.
   */
  readonly agent_ready: {
    readonly nonce: string;
    readonly pagewire: 1;
    readonly page?: string;
    readonly batches?: true;
  };
  readonly tool_cancel: { readonly call_id: string };
  /** Ours. Another page opened this window again, and is now its parent. */
  readonly parent_replaced: Record<never, never>;
  /** Ours. The user closed the assistant, or it navigated to another page. */
  readonly agent_bye: Record<never, never>;
}

export type ToolResponse =
  | {
      readonly call_id: string;
      readonly success: true;
      readonly result?: unknown;
      /** Ours, instead of `result`: its JSON text, for a call that accepts it. */
      readonly json?: string;
    }
  | {
      readonly call_id: string;
      readonly success: false;
      readonly error: string;
      /** Ours: a code of wire/errors.ts. */
      readonly code?: ErrorCode;
    };

/** A message as it is sent. In received messages the fields may also be beside `type`. */
export type Envelope<Messages> = {
  [Type in keyof Messages]: { readonly type: Type; readonly payload: Messages[Type] };
}[keyof Messages];
