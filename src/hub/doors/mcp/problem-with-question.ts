import type { ClientCapabilities } from "@modelcontextprotocol/server";
import { parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Question } from "./follow.ts";

/**
 * Why a client with these capabilities cannot be asked this, beyond that it takes questions of this method; undefined
 * when it can. The SDK would answer the client with an error, and the page would wait for good.
 */
export function problemWithQuestion(
  { method, parameters }: Question,
  { elicitation, sampling }: ClientCapabilities = {},
  { jsonDepth }: Limits,
): string | undefined {
  const asked = parseJsonObject(parameters, jsonDepth);
  if (!asked) return "A question's parameters must be a JSON object.";
  const wantsUrl = method === "elicitation/create" && asked["mode"] === "url";
  if (wantsUrl && !elicitation?.url) return "The client cannot send its user to an address. Ask with a form.";
  const wantsTools = asked["tools"] !== undefined || asked["toolChoice"] !== undefined;
  if (method === "sampling/createMessage" && wantsTools && !sampling?.tools) return "The client samples without tools.";
  return undefined;
}
