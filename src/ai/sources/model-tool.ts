import type { Tool } from "../../wire/index.ts";
import type { AiTool } from "../types.ts";

/**
 * A tool of a page or an MCP server as a model is told of it. The page or the server validates the arguments: the schema
 * is a stranger's, and a pattern in it could hold this thread for hours. Whatever does not say that it only reads is not
 * run before somebody was asked.
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
