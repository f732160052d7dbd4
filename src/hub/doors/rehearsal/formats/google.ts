// Google's generateContent and streamGenerateContent. Field names are taken in camel case and in snake case, as Google does.
import type { JsonObject } from "../../../../wire/index.ts";
import type {
  RehearsalCall,
  RehearsalMessage,
  RehearsalRequest,
  RehearsalResult,
  RehearsalTool,
} from "../model/request.ts";
import { Fields } from "./fields.ts";
import type { Asked, Exchange } from "./format.ts";
import { writeGenerated, writeGeneratedStream } from "./google-answer.ts";
import { schemaOfGoogle } from "./google-schema.ts";
import { anyObject, checkChoice, checkTools, imageType, problemWithCalls } from "./read-tools.ts";
import type { ReadChoice } from "./read-tools.ts";
import { Refusal } from "./refusal.ts";

const parameters =
  "contents systemInstruction generationConfig tools toolConfig safetySettings labels model serviceTier store";
const settings =
  "responseJsonSchema candidateCount frequencyPenalty logprobs maxOutputTokens mediaResolution presencePenalty responseLogprobs responseMimeType responseModalities responseSchema seed stopSequences temperature thinkingConfig topK topP";

export interface GenerateOptions {
  readonly streams: boolean;
}

export function readGenerate({ body, query }: Asked, { streams }: GenerateOptions): Exchange {
  const fields = new Fields(body, "", { index: "[]", snake: true }).only(parameters);
  const isEvents = query.get("alt") === "sse";
  return {
    request: readRequest(fields),
    streams,
    answer: writeGenerated,
    stream: (turn, stamp) => writeGeneratedStream(turn, stamp, { isEvents }),
    ...(!isEvents && { streamType: "application/json" }),
  };
}

/** A request whose tokens are only counted. */
export function readForCount({ body }: Asked): RehearsalRequest {
  const fields = new Fields(body, "", { index: "[]", snake: true });
  const whole = fields.only(`generateContentRequest ${parameters}`).maybeObject("generateContentRequest");
  return readRequest(whole?.only(parameters) ?? fields);
}

function readRequest(fields: Fields): RehearsalRequest {
  const config = fields.maybeObject("generationConfig")?.only(settings);
  if ((config?.number("candidateCount", { least: 1, whole: true }) ?? 1) > 1)
    throw new Refusal("value", "The rehearsal model gives one candidate: candidateCount must be 1.");
  config?.number("temperature", { least: 0, most: 2 });
  config?.number("topP", { least: 0, most: 1 });
  if (config?.texts("responseModalities").some((one) => one.toUpperCase() !== "TEXT"))
    throw new Refusal("value", "The rehearsal model only writes: responseModalities must be TEXT.");
  const tools = fields.items("tools").flatMap(readTools);
  checkTools(tools, { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, path: "tools" });
  const { choice, allowed } = readChoice(fields, tools);
  const schema = config && readSchema(config);
  const most = config?.number("maxOutputTokens", { least: 1, whole: true });
  return {
    system:
      fields
        .maybeObject("systemInstruction")
        ?.items("parts")
        .map((part) => part.maybeText("text") ?? "")
        .join("\n") ?? "",
    messages: readContents(fields),
    tools: allowed,
    toolChoice: choice,
    parallel: true,
    ...(schema && { responseSchema: schema }),
    ...(most !== undefined && { maxTokens: most }),
    stop: config?.texts("stopSequences") ?? [],
  };
}

function readSchema(config: Fields): JsonObject | undefined {
  const type = config.maybeText("responseMimeType") ?? "text/plain";
  const plain = config.maybeObject("responseJsonSchema")?.object;
  const own = config.maybeObject("responseSchema");
  if (type === "application/json") return plain ?? (own ? schemaOfGoogle(own.object) : anyObject);
  if (type !== "text/plain") throw config.wrong("responseMimeType", "must be text/plain or application/json");
  if (plain || own) throw config.wrong("responseMimeType", "must be application/json where a schema is given");
  return undefined;
}

function readTools(fields: Fields): readonly RehearsalTool[] {
  return fields
    .only("functionDeclarations")
    .items("functionDeclarations")
    .map((declared) => {
      declared.only("name description parameters parametersJsonSchema behavior response responseJsonSchema");
      const plain = declared.maybeObject("parametersJsonSchema")?.object;
      const own = declared.maybeObject("parameters")?.object;
      const schema: JsonObject = { type: "object", ...(plain ?? (own ? schemaOfGoogle(own) : {})) };
      if (schema["type"] !== "object") throw declared.wrong("parameters", "must be a schema of type OBJECT");
      return { name: declared.text("name"), description: declared.maybeText("description") ?? "", parameters: schema };
    });
}

function readChoice(fields: Fields, tools: readonly RehearsalTool[]): ReadChoice {
  const config = fields.maybeObject("toolConfig")?.maybeObject("functionCallingConfig");
  if (!config) return { choice: "auto", allowed: tools };
  config.only("mode allowedFunctionNames streamFunctionCallArguments");
  const mode = config.word("mode", ["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"] as const) ?? "AUTO";
  const names = config.texts("allowedFunctionNames");
  if (mode !== "ANY") return { choice: mode === "NONE" ? "none" : "auto", allowed: tools };
  for (const name of names) checkChoice({ name }, tools, "allowed_function_names");
  const allowed = names.length === 0 ? tools : tools.filter((tool) => names.includes(tool.name));
  checkChoice("required", allowed, "function_calling_config");
  return { choice: "required", allowed };
}

function readContents(fields: Fields): readonly RehearsalMessage[] {
  const contents = fields.items("contents");
  if (contents.length === 0)
    throw new Refusal("value", "* GenerateContentRequest.contents: contents is not specified\n");
  const messages: RehearsalMessage[] = [];
  for (const content of contents) {
    content.only("role parts");
    const role = content.maybeText("role") ?? "user";
    if (!["user", "model", "function"].includes(role))
      throw new Refusal("value", "Please use a valid role: user, model.", { path: content.at("role") });
    const parts = content.items("parts");
    if (parts.length === 0)
      throw new Refusal(
        "value",
        `* GenerateContentRequest.${content.at("parts")}: contents.parts must not be empty.\n`,
      );
    messages.push(role === "model" ? readModel(parts, messages.length) : readUser(parts, messages));
  }
  if (problemWithCalls(messages))
    throw new Refusal(
      "value",
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  return messages;
}

const partFields =
  "text thought thoughtSignature inlineData fileData functionCall functionResponse mediaResolution videoMetadata partMetadata";

function readModel(parts: readonly Fields[], turn: number): RehearsalMessage {
  const calls: RehearsalCall[] = [];
  const texts: string[] = [];
  for (const part of parts) {
    const call = part.only(partFields).maybeObject("functionCall");
    const id = call?.maybeText("id") ?? `${turn}:${calls.length}`;
    if (call)
      calls.push({ id, name: call.text("name"), arguments: JSON.stringify(call.maybeObject("args")?.object ?? {}) });
    else if (!part.flag("thought")) texts.push(part.maybeText("text") ?? "");
  }
  return { role: "assistant", text: texts.join(""), calls };
}

/** Results stand for the whole content: what is said beside them is no new question. */
function readUser(parts: readonly Fields[], before: readonly RehearsalMessage[]): RehearsalMessage {
  const last = before.at(-1);
  const open = last?.role === "assistant" ? [...last.calls] : [];
  const texts: string[] = [];
  const images: string[] = [];
  const results: RehearsalResult[] = [];
  for (const part of parts) {
    const answer = part.only(partFields).maybeObject("functionResponse");
    if (answer) results.push(readResult(answer, open));
    else if (part.has("inlineData")) images.push(part.child("inlineData").text("mimeType"));
    else if (part.has("fileData"))
      images.push(part.child("fileData").maybeText("mimeType") ?? imageType(part.child("fileData").text("fileUri")));
    else texts.push(part.text("text"));
  }
  return results.length > 0 ? { role: "tool", results } : { role: "user", text: texts.join("\n"), images };
}

/** A result belongs to the call of its id or, where it has none, to the first of its name that has no result yet. */
function readResult(answer: Fields, open: RehearsalCall[]): RehearsalResult {
  const id = answer.maybeText("id");
  const name = answer.text("name");
  const at = open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
  const [call] = at < 0 ? [] : open.splice(at, 1);
  const { object } = answer.child("response");
  const failed = typeof object["error"] === "string" && Object.keys(object).length === 1;
  return {
    callId: call?.id ?? id ?? name,
    name,
    text: JSON.stringify(object["output"] ?? object["result"] ?? object),
    failed,
  };
}
