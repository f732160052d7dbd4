import { z } from "zod";
import { answerTo } from "../pages/answers.ts";
import type { ToolArguments } from "../pages/answers.ts";
import { acceptJsonPages } from "./json-pages.ts";
import type { Call } from "./json-server.ts";
import type { Server } from "node:http";

/** The bench's tool, as registered with the SDK's server. */
export const sdkTool = {
  description: "Lists the orders of the last days, newest first, with their customers and items.",
  inputSchema: { size: z.string(), city: z.string().optional(), days: z.number().int().min(1).max(365).optional() },
  annotations: { readOnlyHint: true },
};

/** Runs the tool: in a page of the hub by hand, or on the spot. */
export function sdkToolCall(server: Server, hasPages: boolean): Call {
  return hasPages ? acceptJsonPages(server).call : async (_, given) => answerTo(given as ToolArguments);
}
