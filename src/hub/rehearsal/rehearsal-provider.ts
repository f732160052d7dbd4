// The rehearsal, a model that picks a tool by the words of the last sentence, calls it, and shows its result. As an AiCore
// provider it needs no server: a request's body is already the answer, which `rehearsalFetch` returns.
import { withoutSpeaker } from "../../ai/index.ts";
import type {
  AiStreamChunkResult,
  AiProviderResponse,
  IAiProvider,
  AiContent,
  AiMessage,
  AiRequestOptions,
  AiTool,
} from "../../ai/index.ts";
import { isJsonObject, parseJson } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { fillArguments } from "./fill-arguments.ts";
import type { Parameter, Sentence } from "./fill-arguments.ts";
import { pickTool, plainNameOf } from "./pick-tool.ts";
import { reportResult } from "./report-result.ts";
import type { ToolResult } from "./report-result.ts";
import { wordsOf } from "./words.ts";

const aboutRehearsal =
  "I am Pagewire's built-in rehearsal model, not a language model: I only match words with tools. For a real one, start the hub with a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or with --model.";

export type RehearsalTurn = Pick<AiProviderResponse, "content" | "toolCalls" | "finishReason">;

export type RehearsalOptions = Pick<AiRequestOptions, "tools" | "toolChoice" | "responseSchema">;

/** The max length that is read, because this runs on the hub's main thread. */
const maxSentence = 1000;
const maxListedTools = 12;
const maxDepth = 64;
const maxNameLength = 100;

/** The model's turn after these messages. `today` is a date such as `2026-03-14`. */
export function rehearse(messages: readonly AiMessage[], options: RehearsalOptions, today: string): RehearsalTurn {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const { content = "" } = messages[at] ?? {};
  const sentence = { text: withoutSpeaker(textOf(content)).slice(0, maxSentence).trim(), today };
  const results = resultsIn(messages.slice(at + 1));
  const next = results.length > 0 ? undefined : callFor(sentence, options);
  if (typeof next === "object") return { content: "", toolCalls: [next], finishReason: "tool_use" };
  if (options.responseSchema)
    return { content: JSON.stringify(objectFor(options.responseSchema, sentence, results)), finishReason: "stop" };
  const given = results.length === 0 && [writeImages(content), writeFiles(content)];
  const parts = [...results.map(reportResult), ...(given || []), next, aboutRehearsal];
  return { content: parts.filter(Boolean).join("\n\n"), finishReason: "stop" };
}

/** The call for a sentence, or the reason why there is none; undefined if the sentence asks for no tool. */
function callFor(
  sentence: Sentence,
  { tools = [], toolChoice = "auto" }: RehearsalOptions,
): NonNullable<RehearsalTurn["toolCalls"]>[number] | string {
  const known = tools === "page" || toolChoice === "none" ? [] : tools.filter((tool) => tool !== "page");
  const tool =
    typeof toolChoice === "object"
      ? known.find(({ name }) => name === toolChoice.name)
      : (pickTool(known, sentence.text) ?? (toolChoice === "required" ? known[0] : undefined));
  if (!tool) return writeNoTool(known, sentence.text);
  const lastNameWord = wordsOf(plainNameOf(tool)).at(-1);
  const { arguments: given, missing } = fillArguments(tool.parameters, { ...sentence, lastNameWord });
  if (missing.length > 0)
    return `To use \`${tool.name}\` I need ${missing.map(nameParameter).join(", and ")}. Ask again with all of it in one sentence.`;
  return { id: `call-${crypto.randomUUID()}`, name: tool.name, arguments: JSON.stringify(given) };
}

/** The tool results since the user's last message. */
function resultsIn(messages: readonly AiMessage[]): readonly ToolResult[] {
  const calls = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => [call.id, call])));
  return messages.flatMap(({ role, content, toolCallId = "", toolStatus }) => {
    const call = calls.get(toolCallId);
    if (role !== "tool" || !call) return [];
    return [{ ...call, text: textOf(content), isFailed: toolStatus !== undefined }];
  });
}

/** A structured answer: each value from the sentence, else from the result's field of that name, else empty. */
function objectFor(schema: unknown, sentence: Sentence, results: readonly ToolResult[]): JsonObject {
  const { arguments: given, missing } = fillArguments(schema, sentence);
  const known = results.map(({ text }) => parseJson(text, maxDepth));
  const rest = missing.map(({ name, schema: own }) => [name, fieldIn(known, name) ?? emptyOf(own, sentence)]);
  return { ...given, ...(Object.fromEntries(rest) as JsonObject) };
}

function fieldIn(values: readonly (Json | undefined)[], name: string): Json | undefined {
  for (const value of values) {
    if (!isJsonObject(value)) continue;
    const found = value[name] ?? fieldIn(Object.values(value), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function emptyOf(schema: JsonObject, sentence: Sentence): Json {
  const { type, enum: listed, minimum } = schema;
  if (Array.isArray(listed)) return (listed as readonly Json[])[0] ?? null;
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 0;
  if (type === "object") return objectFor(schema, { ...sentence, text: "" }, []);
  return type === "array" ? [] : type === "string" ? sentence.text : null;
}

/** The texts in a message, without its images. */
function textOf(content: AiContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function writeImages(content: AiContent): string {
  const images = typeof content === "string" ? [] : content.filter((part) => part.type === "image");
  if (images.length === 0) return "";
  const types = images.map(({ url, mediaType }) => mediaType ?? /^data:([\w/+.-]+)/.exec(url)?.[1] ?? "by address");
  return images.length === 1
    ? `I was given one image (${types.join()}), and cannot see it.`
    : `I was given ${images.length} images (${types.join(", ")}), and cannot see them.`;
}

function writeFiles(content: AiContent): string {
  const files = typeof content === "string" ? [] : content.filter((part) => part.type === "file");
  if (files.length === 0) return "";
  const names = files.map(({ name = "file" }) => JSON.stringify(name.slice(0, maxNameLength))).join(", ");
  return files.length === 1
    ? `I was given ${names}, and cannot read it.`
    : `I was given ${names}, and cannot read them.`;
}

function writeNoTool(tools: readonly AiTool[], text: string): string {
  const said = text === "" ? "You said nothing." : `You said: “${Array.from(text).slice(0, 300).join("")}”`;
  if (tools.length === 0) return `${said}\n\nThere are no tools that I could call.`;
  const lines = tools.slice(0, maxListedTools).map(({ name, description }) => {
    const [about = ""] = description.slice(0, 100).split(/[.:;,](?:\s|$)|\s\(|\n/, 1);
    return `- \`${name}\`${about && `: ${about}`}`;
  });
  if (tools.length > maxListedTools) lines.push(`- … and ${tools.length - maxListedTools} more`);
  return `${said}\n\nNo tool fits that. Use the words of one that I could call:\n\n${lines.join("\n")}`;
}

function nameParameter({ name, schema: { enum: listed, type, description } }: Parameter): string {
  const kind = Array.isArray(listed) ? `one of ${listed.slice(0, maxListedTools).join(", ")}` : kindOf(type);
  const about = typeof description === "string" ? description.replace(/\.$/, "") : "";
  const text = [kind, about].filter(Boolean).join("; ");
  return `\`${name}\`${text && ` (${text})`}`;
}

function kindOf(type: Json | undefined): string {
  if (type === "string") return "text";
  return typeof type === "string" ? type : "";
}

const charactersPerToken = 4;

export const rehearsalProvider: IAiProvider = {
  // None is read, so that no text in a file picks a tool.
  files: () => ({}),
  toolNames: { pattern: /^.*$/s, maxLength: 1024 },
  buildRequest(messages, options) {
    const turn = rehearse(messages, options, new Date().toISOString().slice(0, 10));
    const { maxTokens = Infinity, tools, system = "", stream } = options;
    const max = maxTokens * charactersPerToken;
    const isCut = turn.content.length > max;
    const texts = messages.map(({ content }) => textOf(content));
    const prompt = tokensIn(system + texts.join("") + JSON.stringify(tools ?? ""));
    const completion = tokensIn(turn.content.slice(0, max) + JSON.stringify(turn.toolCalls ?? ""));
    const answer: AiProviderResponse = {
      ...turn,
      ...(isCut && { content: turn.content.slice(0, max), finishReason: "length" }),
      usage: { promptTokens: prompt, completionTokens: completion, totalTokens: prompt + completion },
    };
    const accept = stream === false ? "application/json" : "text/event-stream";
    return { url: "rehearsal:", headers: { accept }, body: JSON.stringify(answer) };
  },
  parseResponse: (data: AiProviderResponse) => data,
  parseStreamChunk: (_, data) => JSON.parse(data) as AiStreamChunkResult,
};

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** The delay between chunks in milliseconds, so that streaming is visible. */
const pieceDelay = 4;

export const rehearsalFetch: typeof fetch = async (_, init) => {
  init?.signal?.throwIfAborted();
  const body = typeof init?.body === "string" ? init.body : "";
  const type = new Headers(init?.headers).get("accept") ?? "";
  return new Response(type === "application/json" ? body : streamOf(body), { headers: { "content-type": type } });
};

function streamOf(body: string): ReadableStream<Uint8Array> {
  const { content, toolCalls = [], finishReason, usage } = JSON.parse(body) as AiProviderResponse;
  const chunks: AiStreamChunkResult[] = (content.match(/\s*\S+/g) ?? []).map((delta) => ({ delta, done: false }));
  const toolCallDeltas = toolCalls.map((call, index) => ({ index, ...call }));
  chunks.push({ toolCallDeltas, ...(finishReason && { finishReason }), ...(usage && { usage }), done: true });
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, pieceDelay));
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
      else controller.close();
    },
  });
}
