import type { Tool } from "../../wire/index.ts";
import type { AiTool } from "../types.ts";

/**
 * A tool of a page or an MCP server as a model is told of it. Whatever does not say that it only reads is not run before
 * somebody was asked.
 */
export function modelToolOf({ name, title, description = "", inputSchema, annotations }: Tool): AiTool {
  const heading = title ?? annotations?.title;
  return {
    name,
    ...(heading !== undefined && { title: heading }),
    description: [heading === name ? undefined : heading, description].filter(Boolean).join(": "),
    parameters: inputSchema,
    needsApproval: annotations?.readOnlyHint !== true,
  };
}
