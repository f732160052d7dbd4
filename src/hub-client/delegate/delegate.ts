import type { Clock } from "../../link/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type {
  ErrorCode,
  Json,
  JsonObject,
  Limits,
  ObjectSchema,
  OutcomeName,
  PagewireErrorOptions,
  Ran,
  ToolAnnotations,
  TraceContext,
} from "../../wire/index.ts";
import type { CallProgress } from "../hub-client.ts";
import type { DelegateFetch } from "./delegate-fetch.ts";

export interface DelegateOptions {
  /** The hub's address, such as http://127.0.0.1:7337; in a terminal, PAGEWIRE_URL. */
  readonly url: string;
  /** The terminal's token; in a terminal, PAGEWIRE_TERMINAL_TOKEN. */
  readonly token: string | (() => string);
  /** The terminal's id, PAGEWIRE_TERMINAL, or that of the tab which is attached to it. It is asked for at every call. */
  readonly browserId: string | (() => string | Promise<string>);
  /** The runtime's own by default. Node's waits at most five minutes for an answer. */
  readonly fetch?: DelegateFetch;
  /** Where the hub itself listens, if a relay of yours, such as a tunnel or a container's port, leads there. */
  readonly relayTo?: string | undefined;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
}

/** The way of a terminal's programs to the tab that the terminal is shown in. */
export interface Delegate {
  /** Has the tab do something. Rejects with a `DelegateError` where that fails. */
  call(action: string, args?: JsonObject, options?: DelegateCallOptions): Promise<DelegateResult>;
  /** The tab, and everything that it can do. */
  actions(options?: { readonly signal?: AbortSignal | undefined }): Promise<DelegateActions>;
}

export interface DelegateCallOptions {
  /** Cancels the action in the tab. One with a key runs on for a while, for whoever comes back with that key. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that it may take, or a stream be silent: half a minute by default, where the action says nothing else. */
  readonly timeout?: number | undefined;
  /** The same key again is given the same outcome, never a second run. */
  readonly key?: string | undefined;
  /** Where the action is in a trace, for the tab: by default as for the calls of a hub client. */
  readonly trace?: TraceContext | undefined;
  /** Hears the answer piece by piece, from actions that tell it so. */
  readonly onChunk?: ((delta: string) => void) | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}

/** What an action gave back. */
export interface DelegateResult {
  /** All of it as text: as JSON where it is none. */
  readonly text: string;
  readonly structured?: Json;
  /** Of an action that answers in fields, such as `fetch` with its status, headers and body. */
  readonly fields?: JsonObject;
  /** Blocks of content as MCP has them, where not all of them are text. */
  readonly content?: readonly JsonObject[];
  /** The action ran before, under the same key, and this is how it ended then. */
  readonly replay?: true;
  /** The hub could not write this down: after a restart it may not know it for the same key. */
  readonly notSaved?: true;
}

export interface DelegateActions {
  /** The terminal's own id. */
  readonly browserId: string;
  readonly tab: DelegateTab;
  readonly actions: readonly DelegateAction[];
}

export interface DelegateTab {
  readonly id: string;
  readonly title: string;
  readonly origin: string;
  readonly url: string;
  readonly app: string;
}

/** Something that the tab can do. What it says of itself was written by its page. */
export interface DelegateAction {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations?: ToolAnnotations;
}

/** An action that failed, with the hub's code and its words. */
export class DelegateError extends PagewireError {
  /** How the call ended, where there was one. */
  readonly outcome: OutcomeName | undefined;
  /** Whether the action ran: only after "no" is it safe to ask again without a key. */
  readonly ran: Ran;
  /** Whether the hub could not write this end down: after a restart it may not know it for the same key. */
  readonly notSaved: boolean;

  constructor(code: ErrorCode, message: string, { outcome, ran, notSaved = false, ...options }: DelegateErrorOptions) {
    super(code, message, options);
    this.outcome = outcome;
    this.ran = ran;
    this.notSaved = notSaved;
  }
}

interface DelegateErrorOptions extends PagewireErrorOptions {
  readonly outcome?: OutcomeName | undefined;
  readonly ran: Ran;
  readonly notSaved?: boolean;
}
