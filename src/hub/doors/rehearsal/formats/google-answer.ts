import type { Json, JsonObject } from "../../../../wire/index.ts";
import { rehearsalModel } from "../model/about.ts";
import type { RehearsalTurn } from "../model/request.ts";
import { callId, event, piecesOf } from "./format.ts";
import type { Stamp, Vendor } from "./format.ts";
import { statusOfRefusal } from "./refusal.ts";
import type { Refusal, RefusalKind } from "./refusal.ts";

export function writeGenerated(turn: RehearsalTurn, stamp: Stamp): Json {
  const parts = [...(turn.text === "" ? [] : [{ text: turn.text }]), ...callParts(turn, stamp)];
  return responseOf(turn, stamp, { parts, isLast: true });
}

export interface GoogleStreamOptions {
  /** An event stream; without it, one JSON array that grows. */
  readonly isEvents: boolean;
}

export function writeGeneratedStream(
  turn: RehearsalTurn,
  stamp: Stamp,
  { isEvents }: GoogleStreamOptions,
): readonly string[] {
  const parts = [...piecesOf(turn.text).map((text) => ({ text })), ...callParts(turn, stamp)];
  const chunks = [
    ...parts.map((part) => responseOf(turn, stamp, { parts: [part], isLast: false })),
    responseOf(turn, stamp, { parts: [{ text: "" }], isLast: true }),
  ];
  if (isEvents) return chunks.map((chunk) => `${event(chunk).trimEnd()}\r\n\r\n`);
  return [...chunks.map((chunk, index) => `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(chunk)}`), "]"];
}

function callParts(turn: RehearsalTurn, stamp: Stamp): readonly JsonObject[] {
  return turn.calls.map((call, index) => ({
    functionCall: { id: callId("", stamp, index), name: call.name, args: call.arguments },
  }));
}

interface ChunkParts {
  readonly parts: readonly Json[];
  readonly isLast: boolean;
}

function responseOf({ usage, finish }: RehearsalTurn, { id }: Stamp, { parts, isLast }: ChunkParts): JsonObject {
  const output = isLast ? { candidatesTokenCount: usage.completion } : {};
  return {
    candidates: [
      {
        content: { parts, role: "model" },
        ...(isLast && { finishReason: finish === "length" ? "MAX_TOKENS" : "STOP" }),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.prompt,
      ...output,
      totalTokenCount: usage.prompt + (isLast ? usage.completion : 0),
      promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.prompt }],
    },
    modelVersion: rehearsalModel,
    responseId: id,
  };
}

const states: Partial<Record<RefusalKind, string>> = {
  credential: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  "not-found": "NOT_FOUND",
  rate: "RESOURCE_EXHAUSTED",
  stopping: "UNAVAILABLE",
  internal: "INTERNAL",
};

function wordsOf({ kind, path = "", message }: Refusal): string {
  const name = path.split(".").at(-1) ?? "";
  if (kind === "unknown") {
    const place = path === name ? "" : ` at '${path.slice(0, -name.length - 1)}'`;
    return `Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`;
  }
  if (kind === "missing") return `* GenerateContentRequest.${path}: ${name} must be specified.\n`;
  if (kind === "type") return `Invalid value at '${path}': expected ${message}.`;
  return message;
}

export const google: Vendor = {
  error: (refusal) => ({
    error: {
      code: statusOfRefusal[refusal.kind],
      message: wordsOf(refusal),
      status: states[refusal.kind] ?? "INVALID_ARGUMENT",
    },
  }),
};
