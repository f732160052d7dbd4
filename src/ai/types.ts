// The public types: messages, tools, options, outcomes.
import type { ApprovalDecision, ApprovalRequest, Approve } from "../toolbox/index.ts";
import type { ToolAnnotations } from "../wire/index.ts";
import type { AiCitation } from "./citation.ts";
import type { AiPricing } from "./prices.ts";

export type AiRole = "system" | "user" | "assistant" | "tool";

/** Why the model stopped. */
export type AiFinishReason = "stop" | "length" | "tool_use" | "safety" | "other";

export interface AiContentTextPart {
  readonly type: "text";
  readonly text: string;
}

export interface AiContentImagePart {
  readonly type: "image";
  /** `http(s):` or `data:<type>;base64,…`. */
  readonly url: string;
  /** Overrides the version in the URL. */
  readonly mediaType?: string;
  /** How closely the model looks, where its provider lets one choose. */
  readonly detail?: "low" | "high" | "auto";
}

/** A PDF, audio, or a text of any kind. */
export interface AiContentFilePart {
  readonly type: "file";
  /** `data:<type>;base64,…`, or `http(s):` where the API fetches it. */
  readonly url: string;
  /** Overrides the version in the URL. */
  readonly mediaType?: string;
  /** Its name, also for the model. */
  readonly name?: string;
  /** What AiCore makes of it for a provider's `buildRequest`: what its `files` say. */
  readonly wire?: object;
}

export type AiContentPart = AiContentTextPart | AiContentImagePart | AiContentFilePart;

export type AiContent = string | AiContentPart[];

/** A tool that the model wants used. */
export interface AiToolCall {
  id: string;
  name: string;
  /** JSON text, as the model wrote it. */
  arguments: string;
}

/** Provider-specific data by the provider's name: cache marks, signatures of reasoning. Other providers ignore it. */
// oxlint-disable-next-line no-explicit-any -- each provider's own shapes, and part of the public contract
export type AiProviderHints = Record<string, any>;

export interface AiMessage {
  /** Given to each message that comes without one; `edit` and `regenerate` name messages by it. */
  id?: string;
  role: AiRole;
  content: AiContent;
  /** The thoughts that the model showed before this answer. */
  reasoning?: string;
  /** Of a user's turn: its author in the user's place, such as an app's origin. The model sees it. */
  from?: string;
  toolCalls?: AiToolCall[];
  toolCallId?: string;
  /** Of a tool's result: the tool's origin, if known. */
  origin?: string;
  /** Of what a tool's call is answered where there is no result: how it ended. */
  toolStatus?: "failed" | "refused" | "stopped";
  finishReason?: AiFinishReason;
  /** Of an answer: the sources that it names. */
  citations?: AiCitation[];
  /** Of an answer that was stopped or broke off: the text until then, kept with `onFailure: "keep"`. */
  partial?: true;
  /** Of an answer, with the option `prices`: the model that gave it, by its own account where it says so. */
  model?: string;
  /** Of an answer, with the option `prices`: its tokens, those of its tool rounds included, and their cost. */
  usage?: AiUsage;
  /** Of an answer, with the option `keepModel`: the model that was chosen for the conversation. */
  chosenModel?: string;
  providerHints?: AiProviderHints;
}

export interface AiUsage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** Of the prompt's tokens, those that the provider had in its cache. */
  cachedTokens?: number;
  /** Of the completion's tokens, those that were thoughts. */
  reasoningTokens?: number;
  /** In US dollars, with the option `prices`; left out where a price is not known. */
  cost?: number;
  /** From a hub that limits it: how many tokens its user has left after this answer. */
  quota?: AiQuota;
}

/** A limit of tokens, and the rest of it. */
export interface AiQuota {
  readonly period: "day" | "month";
  readonly tokens: number;
  readonly left: number;
  /** When there are new ones, as an ISO text. */
  readonly newAt: string;
}

/** A handler's second argument. */
export interface AiToolContext {
  readonly callId: string;
  readonly name: string;
  /** Aborted when the answer is stopped or the tool's time is up. */
  readonly signal: AbortSignal;
}

// oxlint-disable-next-line no-explicit-any -- the contract: a handler names the arguments that its schema describes
export type AiToolHandler = (args: any, context: AiToolContext) => unknown;

/** With "each-call" nothing counts that the user has decided before, and nothing is kept of what the user decides. */
export type NeedsApproval = boolean | "each-call";

/** Asks, with details. */
export interface ApprovalQuestion {
  /** Whose text the conversation holds. With it nothing counts that the user has decided before, as with "each-call". */
  readonly textFrom?: readonly string[];
  readonly reason?: string;
  /** The tool's text (`toolText`) when the user allowed it, where that has changed since; "" if unknown. */
  readonly allowedAs?: string;
}

// oxlint-disable-next-line no-explicit-any -- as for a handler
export type DecideApproval = (args: any) => ApprovalNeed | Promise<ApprovalNeed>;

type ApprovalNeed = NeedsApproval | ApprovalQuestion;

export interface AiTool {
  readonly name: string;
  /** Shown when the user is asked. */
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  // oxlint-disable-next-line no-explicit-any -- the contract's own type
  readonly parameters: Record<string, any>;
  readonly handler?: AiToolHandler;
  /** The handler compares the arguments with the schema itself, so AiCore evaluates no schema of another's. */
  readonly validatesArguments?: boolean;
  /** Ask before it runs: always, or where the function returns true for the arguments. Where it throws, the call is refused. */
  readonly needsApproval?: NeedsApproval | DecideApproval;
  /** The hints that came with it from a page or a server. Consent holds for the tool with these hints only. */
  readonly annotations?: ToolAnnotations;
  /** Whose tool it is, such as an app's origin: shown when the user is asked, and consent holds for it only. */
  readonly origin?: string;
  /** Milliseconds; wins over the request's `toolTimeout`. */
  readonly timeout?: number;
}

export type AiToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** A remote MCP server whose tools the model may use, as `<name>_<tool>`. */
export interface AiMcpSource {
  readonly url: string;
  /** The prefix; the host's name when left out. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only these tools, by the server's names. */
  readonly tools?: readonly string[];
}

export interface AiRetryOptions {
  /** How often it is tried again. */
  readonly attempts: number;
  /** Milliseconds before the first retry; doubled for each one after it. 500 when left out. */
  readonly delay?: number;
  /** The longest wait; a `Retry-After` beyond it ends the retries. 30 000 when left out. */
  readonly maxDelay?: number;
}

export interface AiReasoningOptions {
  readonly effort?: "minimal" | "low" | "medium" | "high";
  /** For providers that count the tokens of thoughts. */
  readonly budgetTokens?: number;
}

export interface AiRequestOptions {
  model: string;
  stream?: boolean;
  temperature?: number;
  maxTokens?: number;
  system?: string;
  /** The prompt's author in the user's place, such as an app's origin: stored as the message's `from`. */
  from?: string;
  apiKey?: string;
  /**
   * Gives the key where `apiKey` is left out, for keys that end: called for each request, and where that is answered with
   * 401 or 403 once more, with the refused key. The request is repeated if there is another one.
   */
  getApiKey?: (refused?: string) => string | Promise<string>;
  baseUrl?: string;
  apiVersion?: string;
  /** Tools for this request: declared here, or with `"page"` those that the page offers through `connectPage`. */
  tools?: readonly (AiTool | "page")[] | "page";
  toolChoice?: AiToolChoice;
  /** 10 when left out; 0 switches tools off. */
  maxToolRoundtrips?: number;
  // oxlint-disable-next-line no-explicit-any -- the contract's own type
  responseSchema?: Record<string, any>;
  responseSchemaName?: string;
  /** Whether an OpenAI-compatible server is asked for usage while it streams: `auto` only asks OpenAI itself. */
  streamOptions?: "auto" | "always" | "never";

  topP?: number;
  stop?: readonly string[];
  seed?: number;
  reasoning?: AiReasoningOptions;
  /** Sent beside the provider's own headers, and over them. */
  headers?: Readonly<Record<string, string>>;
  /** Fields of the provider's own request, merged over the built one. */
  body?: Readonly<Record<string, unknown>>;
  fetch?: typeof fetch;
  /** Aborted, it stops the request as `abort()` does. */
  signal?: AbortSignal;
  /** None unless asked for. */
  retries?: number | AiRetryOptions;
  /** Remote MCP servers whose tools are added. */
  mcp?: readonly (string | AiMcpSource)[];
  /** Adds `cost` to the usage, and the model and its usage to the answer's message. */
  prices?: AiPricing;
  /** With `prices`, stores the model's name with the answer, as the one that was chosen for the conversation. */
  keepModel?: boolean;
  /** Milliseconds that a handler may take; 60 000 when left out, 0 for no limit. */
  toolTimeout?: number;
  /** Asks the user before a tool runs that needs it; without it the call waits for `settleToolCall`. */
  approve?: Approve;
  /** Whether a send that failed or was stopped keeps nothing, or its finished messages and text so far. */
  onFailure?: "rollback" | "keep";
}

/** How far one of the answer's tool calls is. */
export interface AiToolCallState extends AiToolCall {
  status: "streaming" | "waiting" | "running" | "done" | "failed" | "refused";
  /** Set while `status` is `waiting`: what the user is asked. */
  approval?: ApprovalRequest;
  /** Set if the user decided elsewhere: in the hub's inbox. */
  decidedIn?: "inbox";
  /** The text that the model received. */
  result?: string;
  /** The tool's origin, if known. */
  origin?: string;
}

export type AiToolDecision = boolean | ApprovalDecision;

/** Why a message or decision could not be stored: a code, and a message for the user. */
export interface AiNotSaved {
  readonly code: string;
  readonly message: string;
}

/** An HTTP answer that is not a success. A plain object, as it crosses every border unchanged. */
export interface AiHttpError {
  status: number;
  statusText: string;
  body: string;
  /** Seconds. */
  retryAfter?: number;
}

export interface AiAgentCoreValues {
  content: string;
  messages: AiMessage[];
  usage: AiUsage | null;
  loading: boolean;
  streaming: boolean;
  error: AiHttpError | Error | null;
}

export interface AiAgentValues extends AiAgentCoreValues {
  trigger: boolean;
}
