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
import type { CallProgress, DelegateFetch } from "../hub-client.ts";

export interface DelegateOptions {
  /** The hub's address, such as http://127.0.0.1:7337; in a terminal, PAGEWIRE_URL. */
  readonly url: string;
  /** The terminal's token; in a terminal, PAGEWIRE_TERMINAL_TOKEN. */
  readonly token: string | (() => string);
  /** The terminal's id, PAGEWIRE_TERMINAL, or that of its attached tab. A function is called for every call. */
  readonly browserId: string | (() => string | Promise<string>);
  /** The runtime's own by default. Node's waits at most five minutes for an answer. */
  readonly fetch?: DelegateFetch;
  /** The hub's own listening address, if it is reached through your own relay, such as a tunnel or a container's port. */
  readonly relayTo?: string | undefined;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
}

/** Connects a terminal's programs to the tab that shows the terminal. */
export interface Delegate {
  /** Runs an action in the tab. Rejects with a `DelegateError` if that fails. */
  call(action: string, args?: JsonObject, options?: DelegateCallOptions): Promise<DelegateResult>;
  actions(options?: { readonly signal?: AbortSignal | undefined }): Promise<DelegateActions>;
}

export interface DelegateCallOptions {
  /** Cancels the action in the tab. One with a key runs on for a while, in case the key comes again. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that it may take, or that a stream may be silent: half a minute by default, unless the action has its own. */
  readonly timeout?: number | undefined;
  /** A repeated key gets the same outcome, never a second run. */
  readonly key?: string | undefined;
  /** The action's position in a trace, for the tab: by default as for the calls of a hub client. */
  readonly trace?: TraceContext | undefined;
  /** Receives the answer chunk by chunk, from actions that stream it. */
  readonly onChunk?: ((delta: string) => void) | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}

export interface DelegateResult {
  readonly text: string;
  readonly structured?: Json;
  /** For an action that answers with fields, such as `fetch` with its status, headers and body. */
  readonly fields?: JsonObject;
  /** Blocks of content in MCP's form, if not all of them are text. */
  readonly content?: readonly JsonObject[];
  /** The action ran before, under the same key, and this is its earlier outcome. */
  readonly replay?: true;
  /** The hub could not write this to its ledger: after a restart it may not return it for the same key. */
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

/** An action of the tab. Its description is the page's own claim. */
export interface DelegateAction {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations?: ToolAnnotations;
}

/** A failed action, with the hub's code and message. */
export class DelegateError extends PagewireError {
  readonly outcome: OutcomeName | undefined;
  /** Whether the action ran: it is safe to repeat without a key only after "no". */
  readonly ran: Ran;
  /** Whether the hub could not write this outcome to its ledger: after a restart it may not return it for the same key. */
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
