import type { CallEnvironment } from "../../toolbox/index.ts";
import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { Tool, Json } from "../../wire/index.ts";
import type { AiTool, AiToolContext } from "../types.ts";

/**
 * A page's or MCP server's tool as a model sees it. The page or the server validates the arguments: the schema is
 * untrusted, and a pattern in it could block this thread for hours. A tool without a read-only hint needs approval.
 */
export function modelToolOf({ name, title, description = "", inputSchema, annotations }: Tool): AiTool {
  const heading = title ?? annotations?.title;
  return {
    name,
    ...(heading !== undefined && { title: heading }),
    description: [heading === name ? undefined : heading, description].filter(Boolean).join(": "),
    parameters: inputSchema,
    validatesArguments: true,
    ...(annotations && { annotations }),
    needsApproval: annotations?.readOnlyHint !== true,
  };
}

/** A handler's timeout, unless the request sets one. */
const toolTime = 60_000;
const longestTime = 2 ** 31 - 1;

/** The place of a call that a model makes: it can be asked nothing, and shows no progress. */
export function environmentOf(
  { callId, signal }: Pick<AiToolContext, "callId" | "signal">,
  toolTimeout = toolTime,
): CallEnvironment {
  return {
    callId,
    agent: { name: "pagewire/ai" },
    signal,
    deadline: Date.now() + (toolTimeout || longestTime),
    asks: [],
    rounds: false,
    progress() {},
    log() {},
    ask: (method) =>
      Promise.reject(
        new PagewireError("ask-unsupported", `A model called this tool, and cannot be asked for ${method}.`),
      ),
  };
}

/**
 * An MCP result as text for a model: its texts, or its structured content where it has none. Other blocks are only
 * mentioned: base64 means nothing to a model.
 */
export function textOfResult(result: unknown): string {
  const { content, structuredContent } = isJsonObject(result) ? result : {};
  const lines = Array.isArray(content) ? content.map(lineOfBlock) : [];
  return lines.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : lines.join("\n");
}

/** One block of a result. */
export function lineOfBlock(block: Json): string {
  if (!isJsonObject(block)) return "";
  const { type, text, mimeType, uri, resource, name } = block;
  if (typeof text === "string") return text;
  if (isJsonObject(resource)) return lineOfBlock({ ...resource, type: "resource" });
  const words = [type, name, uri, mimeType].filter((word) => typeof word === "string");
  return `[${words.join(" ")}]`;
}
