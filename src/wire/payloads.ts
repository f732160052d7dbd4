// The shapes of payloads: MCP's own, so that nothing is lost between a page and an MCP client.
import type { Json, JsonObject } from "./json.ts";
import type { OutcomeName } from "./outcomes.ts";

/** Additional fields of a peer: kept and forwarded. */
export type Meta = JsonObject;

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** A JSON Schema 2020-12 document for an object. */
export type ObjectSchema = { readonly type: "object" } & JsonObject;

/** Hints about a tool; a page's hints are never trusted. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  /** WebMCP: the tool returns untrusted text. */
  readonly untrustedContentHint?: boolean;
}

/** A tool as agents see it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** A resource as agents see it. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** A family of resources, by URI template. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt as agents see it. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

export interface Offer {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

/** The additions and removals of an offer. Tools and prompts go by name, resources by URI, templates by URI template. */
export interface OfferChange {
  readonly add: Partial<Offer>;
  readonly remove: { readonly [Kind in keyof Offer]?: readonly string[] };
}

export interface TextContent {
  readonly type: "text";
  readonly text: string;
  readonly annotations?: JsonObject;
  readonly _meta?: Meta;
}

/** One block of a result. Unlisted kinds are forwarded unchanged. */
export type ContentBlock = TextContent | ({ readonly type: string } & JsonObject);

export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}

/** A tab as agents see it. The address has no query and no fragment. */
export interface TabInfo {
  readonly tabId: string;
  readonly app: string;
  readonly origin: string;
  readonly title: string;
  readonly url: string;
  /** The default tab of a call without a tab id. */
  readonly isActive: boolean;
  readonly state: "connected" | "away" | "suspended" | "silent";
  readonly tools: readonly string[];
  /** ISO time of the last frame or heartbeat. */
  readonly lastSeen: string;
  /** For a tab whose page the browser's extension offers, without a script of its own: the name of the browser. */
  readonly browser?: string;
  readonly through?: "extension";
}

/** One event of a call, for watchers. It never contains arguments or results. */
export interface CallEvent {
  readonly event: "started" | "acked" | "progress" | "ended";
  readonly id: string;
  readonly method: string;
  readonly name: string;
  readonly tabId?: string;
  readonly app?: string;
  readonly agent: string;
  readonly progress?: number;
  readonly total?: number;
  readonly outcome?: OutcomeName;
  readonly milliseconds?: number;
}
