import type { JsonObject } from "../../../wire/index.ts";

const longest = 80;

/** The index of the message that a conversation is titled after, the first of a user; -1 if there is none. */
export function titleAt(messages: readonly JsonObject[]): number {
  return messages.findIndex(({ role }) => role === "user");
}

/** The beginning of the first user message, on one line; empty if there is none. */
export function titleOf(messages: Iterable<JsonObject>): string {
  for (const { role, content } of messages) if (role === "user") return cut(textOf(content));
  return "";
}

function textOf(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.map(wordsOf).join(" ").replaceAll(/\s+/g, " ").trim();
}

function wordsOf(part: unknown): string {
  if (typeof part === "string") return part;
  if (typeof part !== "object" || part === null) return "";
  if ("text" in part && typeof part.text === "string") return part.text;
  if (!("type" in part)) return "";
  if (part.type === "file") return "name" in part && typeof part.name === "string" ? part.name : "(file)";
  return part.type === "image" ? "(image)" : "";
}

/** Truncates by code points, so that no character is split. */
function cut(text: string): string {
  const characters = Array.from(text.slice(0, longest * 2 + 2));
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join("")}…`;
}
