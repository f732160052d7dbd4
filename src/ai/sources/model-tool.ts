import type { Tool } from "../../wire/index.ts";
import type { AiTool } from "../types.ts";

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
