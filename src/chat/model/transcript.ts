import type { AiMessage } from "../../element/index.ts";
import { promptOf } from "./prompt.ts";
import { sourcesOf, sourcesText } from "./sources.ts";
import { usageText } from "./usage-text.ts";

/** How a conversation is saved: for people, or with all that is known of it for programs. */
export type TranscriptFormat = "markdown" | "json";

/** A conversation as a text. */
export function transcriptOf(messages: readonly AiMessage[], format: TranscriptFormat = "markdown"): string {
  if (format === "json") return `${JSON.stringify(messages, undefined, 2)}\n`;
  const parts = messages.filter(({ role }) => role !== "system").map(partOf);
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function partOf(message: AiMessage): string {
  const { text, images, files = [] } = promptOf(message.content);
  const pictures = images.length === 0 ? "" : `(${images.length === 1 ? "a picture" : `${images.length} pictures`})`;
  const said = [text.trim(), pictures, ...files.map(({ name }) => `(the file ${JSON.stringify(name)})`)]
    .filter((part) => part !== "")
    .join("\n\n");
  if (message.role === "tool") return said === "" ? "" : `Result:\n\n${fenced(said)}`;
  const calls = (message.toolCalls ?? []).map(({ name, arguments: json }) => `Tool \`${name}\`:\n\n${fenced(json)}`);
  const who = message.role === "user" ? (message.from ?? "You") : "Assistant";
  const used = message.usage ? usageText(message) : "";
  const sources = message.role === "assistant" ? sourcesText(sourcesOf(message)) : "";
  const heading = said === "" ? [] : [`## ${who}\n\n${said}`];
  const below = [sources, used && `_${used}_`].filter((part) => part !== "");
  return [...heading, ...calls, ...below].join("\n\n");
}

/** A text that has fences itself is in a longer one. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Has the browser save a conversation as a file. */
export function saveTranscript(messages: readonly AiMessage[], format: TranscriptFormat): void {
  const [end, type] = format === "json" ? ["json", "application/json"] : ["md", "text/markdown"];
  const url = URL.createObjectURL(new Blob([transcriptOf(messages, format)], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `conversation.${end}`;
  link.click();
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
