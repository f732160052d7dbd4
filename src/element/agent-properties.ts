import type { AiContentPart, AiRequestOptions } from "../ai/index.ts";
import type { RemoteToken } from "./config-types.ts";
import { HtmlElement } from "./html-element.ts";

/** Properties set before the element was defined shadow its class's accessors: set them again. */
export function takeEarlyProperties(element: HTMLElement): void {
  const prototype: unknown = Object.getPrototypeOf(element);
  for (const [name, value] of Object.entries(element)) {
    if (name in Object(prototype) && Reflect.deleteProperty(element, name)) Reflect.set(element, name, value);
  }
}

type Optional<Name extends keyof AiRequestOptions> = NonNullable<AiRequestOptions[Name]> | undefined;
type Nullable<Name extends keyof AiRequestOptions> = NonNullable<AiRequestOptions[Name]> | null | undefined;

/** Kept in the attribute of the same name in kebab-case, and read when a request is sent. */
export interface AgentAttributes {
  model: string;
  baseUrl: string;
  /** For development only: it can be read in the DOM. */
  apiKey: string;
  apiVersion: string;
  /** Wins over an `<ai-message>`. */
  system: string;
  streamOptions: string;
  reasoningEffort: string;
  /** The address of this element's core; the configuration's by default. */
  remoteCoreUrl: string;
  /** In remote mode, whether `apiKey`, `baseUrl`, `apiVersion` and `headers` go to the server. */
  forwardCredentials: boolean;
  /** Whether a failed or stopped request keeps its finished messages and text so far. */
  keepOnFailure: boolean;
  temperature: number | undefined;
  maxTokens: number | undefined;
  topP: number | undefined;
  seed: number | undefined;
  toolTimeout: number | undefined;
  reasoningBudget: number | undefined;
}

/** Properties without an attribute, read when a request is sent. */
export interface AgentInputs {
  prompt: string | AiContentPart[];
  /** The prompt's author in the user's place, such as an app's origin. The model sees it. */
  from: Optional<"from">;
  /** The attribute `tools="page"` does what the property does with "page". */
  tools: Nullable<"tools">;
  toolChoice: Optional<"toolChoice">;
  maxToolRoundtrips: Optional<"maxToolRoundtrips">;
  responseSchema: Nullable<"responseSchema">;
  responseSchemaName: Optional<"responseSchemaName">;
  stop: Optional<"stop">;
  headers: Optional<"headers">;
  body: Optional<"body">;
  fetch: Optional<"fetch">;
  retries: Optional<"retries">;
  mcp: Optional<"mcp">;
  approve: Optional<"approve">;
  prices: Optional<"prices">;
  keepModel: Optional<"keepModel">;
  /** For remote mode; wins over the configuration's. */
  token: RemoteToken | undefined;
}

export interface AgentProperties extends AgentAttributes, AgentInputs {
  /** Whether the answer streams; the attribute `no-stream` turns that off. */
  stream: boolean;
}

type NamesOf<Value> = {
  [Name in keyof AgentAttributes]: AgentAttributes[Name] extends Value ? Name : never;
}[keyof AgentAttributes];

const textAttributes = [
  "model",
  "baseUrl",
  "apiKey",
  "apiVersion",
  "system",
  "streamOptions",
  "reasoningEffort",
  "remoteCoreUrl",
] as const satisfies NamesOf<string>[];

const numberAttributes = [
  "temperature",
  "maxTokens",
  "topP",
  "seed",
  "toolTimeout",
  "reasoningBudget",
] as const satisfies NamesOf<number | undefined>[];

const flagAttributes = ["forwardCredentials", "keepOnFailure"] as const satisfies NamesOf<boolean>[];

/** All attributes of `<ai-agent>`. */
export const agentAttributes = [
  ...[...textAttributes, ...numberAttributes, ...flagAttributes].map(attributeOf),
  ...["provider", "no-stream", "tools", "conversation"],
];

const inputs: AgentInputs = {
  prompt: "",
  from: undefined,
  tools: null,
  toolChoice: undefined,
  maxToolRoundtrips: undefined,
  responseSchema: null,
  responseSchemaName: undefined,
  stop: undefined,
  headers: undefined,
  body: undefined,
  fetch: undefined,
  retries: undefined,
  mcp: undefined,
  approve: undefined,
  prices: undefined,
  keepModel: undefined,
  token: undefined,
};

/** Gives a class of elements these properties. */
function defineAgentProperties(prototype: HTMLElement): void {
  for (const name of textAttributes) define(prototype, name, { read: (text) => text ?? "" });
  for (const name of numberAttributes) {
    define(prototype, name, { read: (text) => (text?.trim() ? Number(text) : undefined) });
  }
  for (const name of flagAttributes) define(prototype, name, { read: (text) => text !== null && text !== "false" });
  define(prototype, "stream", { attribute: "no-stream", read: (text) => text === null, write: (is) => !is });
  // Plain values, so that one that was set before the element was defined is simply there.
  Object.assign(prototype, inputs);
}

/** The attribute that keeps a property. */
function attributeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

type Written = string | number | boolean | null | undefined;

/** Sets an attribute, or with null, undefined or false takes it away. */
export function setOrRemove(element: Element, name: string, value: string | number | boolean | null | undefined): void {
  if (value == null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, String(value));
}

interface Kept {
  readonly attribute?: string;
  read(text: string | null): unknown;
  write?(value: Written): Written;
}

function define(
  prototype: HTMLElement,
  name: string,
  { attribute = attributeOf(name), read, write = (value) => value }: Kept,
): void {
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: Element) {
      return read(this.getAttribute(attribute));
    },
    set(this: Element, value: Written) {
      setOrRemove(this, attribute, write(value));
    },
  });
}

class Described extends HtmlElement {}
defineAgentProperties(Described.prototype);

/** An element that has the properties of the tables, and no behaviour yet. */
export const AgentElement = Described as new () => HTMLElement & AgentProperties;
