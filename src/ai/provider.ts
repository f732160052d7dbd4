import type { AiCitation } from "./citation.ts";
import type { AiModel } from "./model.ts";
import type {
  AiContentImagePart,
  AiFinishReason,
  AiHttpError,
  AiMessage,
  AiProviderHints,
  AiRequestOptions,
  AiToolCall,
  AiUsage,
} from "./types.ts";

export interface AiProviderRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A part of a tool call, as it streams in. Parts with the same index are one call. */
export interface AiToolCallDelta {
  index: number;
  id?: string;
  name?: string;
  argumentsDelta?: string;
  /** The complete arguments, from APIs that repeat them at the call's end. They override the deltas. */
  arguments?: string;
}

export interface AiStreamChunkResult {
  delta?: string;
  reasoningDelta?: string;
  usage?: Partial<AiUsage>;
  toolCallDeltas?: AiToolCallDelta[];
  /** Sources that the answer names, for formats that AiCore does not know. */
  citations?: AiCitation[];
  /** Pictures that the model made: `https:`, or `data:image/…;base64,…`. */
  images?: AiContentImagePart[];
  finishReason?: AiFinishReason;
  /**
   * Stored on the assistant's message, for the provider to find in the next round; later ones are merged over earlier
   * ones.
   */
  providerHints?: AiProviderHints;
  /** The provider reported a failure. */
  error?: AiHttpError | Error;
  /** The answer is complete; later events are ignored. */
  done: boolean;
}

/** A whole answer. */
export interface AiProviderResponse {
  content: string;
  reasoning?: string;
  toolCalls?: AiToolCall[];
  citations?: AiCitation[];
  images?: AiContentImagePart[];
  usage?: AiUsage;
  finishReason?: AiFinishReason;
  providerHints?: AiProviderHints;
}

/** Reads one stream, and remembers its earlier events. */
export interface AiStreamReader {
  /** `event` is the event's name, undefined where it has none. Null to ignore the event. */
  read(event: string | undefined, data: string): AiStreamChunkResult | null;
}

/** A file of a user's message, checked. */
export interface AiFile {
  readonly kind: "picture" | "pdf" | "audio" | "text";
  readonly mediaType: string;
  readonly name: string;
  readonly url: string;
  /** In base64; undefined where there is only an address. */
  readonly data?: string | undefined;
  /** Of a text. */
  readonly text?: string | undefined;
}

export type AiFileForm =
  | "openai"
  | "openai-responses"
  | "anthropic"
  | "google"
  | ((file: AiFile, options: AiRequestOptions) => object | undefined);

/** Translates between AiCore's messages and one API. Write your own with the first three members. */
export interface IAiProvider {
  /**
   * Throws where the API could not be given these messages. `headers` and `body` of the options are the provider's to
   * merge: AiCore sends the request as it is.
   */
  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest;
  /**
   * `data` is the parsed body of an answer that did not stream. Throws an `AiHttpError` or `Error` where it is none.
   */
  // oxlint-disable-next-line no-explicit-any -- the contract's own type
  parseResponse(data: any): AiProviderResponse;
  /** Reads an event independently of earlier ones. */
  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null;
  /** For providers whose events depend on earlier ones; used instead of `parseStreamChunk`. */
  createStreamReader?(): AiStreamReader;
  /**
   * The form in which a file is sent: that of a built-in API, or the result of your function. Undefined, as without it, leaves
   * texts to be given as text, and refuses others. The name of a built-in API also has tools declared in the parts of JSON
   * Schema that this API takes.
   */
  readonly files?: AiFileForm;
  /** The models that it offers for conversations, for APIs that list them in a form of their own. */
  models?(options: AiRequestOptions): Promise<readonly AiModel[]>;
  /**
   * The fetch for a request, where it takes more than the options' own: a signature, or a stream that is no server-sent
   * events.
   */
  createFetch?(options: AiRequestOptions): typeof fetch;
  /** The pattern for tool names; AiCore maps others, and maps them back. `[a-zA-Z0-9_-]{1,64}` by default. */
  readonly toolNames?: { readonly pattern: RegExp; readonly maxLength: number };
}
