import { check, wrong, checkEach } from "./check.ts";
import type { AiRequestOptions, AiContent, AiMessage } from "./types.ts";

const messageRules = {
  required: "role content",
  "one of system, user, assistant, tool": "role",
  "one of failed, refused, stopped": "toolStatus",
  "a string or an array": "content",
  "a string": "id reasoning from toolCallId origin finishReason",
  "a boolean": "partial",
  "an array": "toolCalls citations",
  "a plain object": "providerHints",
};

const callRules = { required: "id name arguments", "a string": "id name arguments" };

const partRules = {
  required: "type",
  "one of text, image, file": "type",
  "a string": "text mediaType detail name",
  "an http(s): or data: URL": "url",
};

/** Throws, with index and field, if messages are invalid. */
export function checkMessages(messages: readonly AiMessage[]): void {
  checkEach(messages, "messages", messageRules);
  for (const [index, { content, toolCalls = [] }] of messages.entries()) {
    checkEach(toolCalls, `messages[${index}].toolCalls`, callRules);
    checkContent(content, `messages[${index}].content`);
  }
}

/** Throws for an empty or malformed prompt. */
export function checkPrompt(prompt: AiContent): void {
  if (typeof prompt === "string" ? !prompt.trim() : !prompt?.length) {
    throw wrong("prompt", "a text that is not empty, or an array of parts", prompt);
  }
  checkContent(prompt, "prompt");
}

function checkContent(content: AiContent, where: string): void {
  if (typeof content === "string") return;
  checkEach(content, where, partRules);
  for (const [index, part] of content.entries()) {
    check(part, `${where}[${index}].`, { ...partRules, required: part.type === "text" ? "text" : "url" });
  }
}

const rules = {
  "a string": "model system from apiKey baseUrl apiVersion responseSchemaName",
  "a finite number": "temperature topP seed",
  "a positive integer": "maxTokens",
  "an integer of zero or more": "maxToolRoundtrips",
  "a number of zero or more": "toolTimeout",
  "a boolean": "stream",
  "a function": "fetch approve",
  "a plain object": "responseSchema headers body",
  "an AbortSignal": "signal",
  "an array of strings": "stop",
  "an array": "mcp",
  "one of auto, always, never": "streamOptions",
  "one of rollback, keep": "onFailure",
};

const reasoningRules = {
  "one of minimal, low, medium, high": "effort",
  // Gemini accepts -1, which lets the model decide.
  "an integer": "budgetTokens",
};

const toolRules = {
  required: "name parameters",
  "a string": "name description",
  "a plain object": "parameters",
  "a function": "handler",
  "a number of zero or more": "timeout",
};

/** Throws, with the name, if an option is invalid. */
export function validateOptions(options: AiRequestOptions): void {
  check(options, "", rules);
  const { tools = [], mcp = [], reasoning = {}, responseSchema } = options;
  check(reasoning, "reasoning.", reasoningRules);
  if (tools !== "page") {
    if (!Array.isArray(tools)) throw wrong("tools", 'an array, or "page"', tools);
    for (const [index, tool] of tools.entries()) if (tool !== "page") check(tool, `tools[${index}].`, toolRules);
  }
  if (responseSchema && tools.length + mcp.length > 0) throw new Error("responseSchema and tools exclude each other.");
}
