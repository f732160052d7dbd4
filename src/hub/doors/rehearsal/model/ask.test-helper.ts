import { loadJsonSchemaValidator } from "../../../../toolbox/index.ts";
import type { JsonObject } from "../../../../wire/index.ts";
import { rehearse } from "./rehearse.ts";
import type { RehearsalMessage, RehearsalRequest, RehearsalTool, RehearsalTurn } from "./request.ts";

/** A Wednesday. */
export const today = "2026-03-11";
export const validate = await loadJsonSchemaValidator();

export function said(text: string): RehearsalMessage {
  return { role: "user", text, images: [] };
}

/** A request that differs from the plainest one only in what is given. */
export function requestOf(parts: Partial<RehearsalRequest>): RehearsalRequest {
  return { system: "", messages: [], tools: [], toolChoice: "auto", parallel: true, stop: [], ...parts };
}

export function ask(sentence: string, parts: Partial<RehearsalRequest> = {}): RehearsalTurn {
  return rehearse(requestOf({ messages: [said(sentence)], ...parts }), { today, validate });
}

/** What a sentence fills the arguments of a tool with, as one object. */
export function fill(properties: object, sentence: string, required: readonly string[] = []): JsonObject | undefined {
  const parameters = { type: "object", properties, required, additionalProperties: false } as unknown as JsonObject;
  const tools: readonly RehearsalTool[] = [{ name: "do_it", description: "", parameters }];
  return ask(`do it, ${sentence}`, { tools }).calls[0]?.arguments;
}

/** The calls of a turn, as `name {"arguments":…}`. */
export function callsOf({ calls }: RehearsalTurn): readonly string[] {
  return calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
}

/** Everything in a text but what the model says of itself. */
export function reportIn({ text }: RehearsalTurn): string {
  return text.slice(0, text.lastIndexOf("\n\nI am Pagewire's"));
}
