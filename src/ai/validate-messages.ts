import { check, checkEach, wrong } from "./check.ts";
import type { AiContent, AiMessage } from "./types.ts";

const messageRules = {
  required: "role content",
  "one of system, user, assistant, tool": "role",
  "one of failed, refused, stopped": "toolStatus",
  "a string or an array": "content",
  "a string": "id reasoning from toolCallId origin finishReason",
  "an array": "toolCalls",
  "a plain object": "providerHints",
};

const callRules = { required: "id name arguments", "a string": "id name arguments" };

const partRules = {
  required: "type",
  "one of text, image": "type",
  "a string": "text mediaType detail",
  "an http(s): or data: URL": "url",
};

/** Throws, by index and field, where messages are not what they must be. */
export function checkMessages(messages: readonly AiMessage[]): void {
  checkEach(messages, "messages", messageRules);
  for (const [index, { content, toolCalls = [] }] of messages.entries()) {
    checkEach(toolCalls, `messages[${index}].toolCalls`, callRules);
    checkContent(content, `messages[${index}].content`);
  }
}

/** Throws where there is nothing that a user could have said. */
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
