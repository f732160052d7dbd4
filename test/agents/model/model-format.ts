// A program's requests to its model and the model's answers, in no vendor's format.

/** A tool as the model gets it. */
export interface OfferedTool {
  readonly name: string;
  /** The tool's group, in formats that have groups. */
  readonly namespace?: string | undefined;
  readonly description: string;
  readonly schema: unknown;
}

/** The result of a call as the model gets it. */
export interface SeenResult {
  readonly text: string;
  readonly images: number;
}

export interface ModelRequest {
  /** The system's and the user's text: where programs put a server's instructions, and the names of tools. */
  readonly instructions: string;
  readonly tools: readonly OfferedTool[];
  /** The results of all calls of the conversation so far, oldest first. */
  readonly results: readonly SeenResult[];
  readonly isStream: boolean;
}

export type ToolName = Pick<OfferedTool, "name" | "namespace">;

export interface ToolCall {
  readonly tool: ToolName;
  readonly input: object;
}

/** A model's text, or one call of a tool. */
export type ModelAnswer = { readonly text: string } | { readonly call: ToolCall };

/** One vendor's format: how its requests are read, and its answers written. */
export interface ModelFormat {
  /** The environment variables and settings want the server's address with this behind it. */
  readonly basePath: string;
  isAsked(path: string): boolean;
  /** How the vendor counts tokens, which programs ask for beside. */
  readonly count?: { readonly path: string; readonly answer: object };
  read(body: JsonBody, path: string): ModelRequest;
  /** The answer in one piece. */
  whole(answer: ModelAnswer, id: string): object;
  /** The events of the answer as a stream. */
  events(answer: ModelAnswer, id: string): readonly string[];
}

/** A part of a body, read without a check: a program that sends something else fails its journeys. */
// oxlint-disable-next-line typescript/no-explicit-any
export type JsonBody = any;

/** An event without a name. */
export function dataEvent(value: object | string): string {
  return `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
}

/** An event that is named after its type. */
export function typedEvent(value: { readonly type: string }): string {
  return `event: ${value.type}\n${dataEvent(value)}`;
}

interface ContentPart {
  readonly type?: string;
  readonly text?: string;
}

/** The text and the number of images in a list of parts, or in a plain text. */
export function readParts(content: string | readonly ContentPart[] | null | undefined): SeenResult {
  if (typeof content === "string") return { text: content, images: 0 };
  const parts = content ?? [];
  return {
    text: parts.map(({ text = "" }) => text).join(""),
    images: parts.filter(({ type = "" }) => type.includes("image")).length,
  };
}
