import type { ProvenHub } from "../../hub-client/index.ts";
import { messageOf } from "../../wire/index.ts";
import { mcpAddress } from "../mcp/hub-address.ts";
import { McpAnswerError, askMcp } from "./ask-mcp.ts";
import { problem, well } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** More pages than any list has. */
const MOST_PAGES = 100;

/** Whether the hub's MCP endpoint answers with the token, and how many tools it lists. */
export async function examineMcp({ url: hub, token }: ProvenHub): Promise<readonly Finding[]> {
  const url = mcpAddress(hub, undefined).href;
  try {
    await askMcp({ url, token, method: "server/discover" });
    const count = await countTools(url, token);
    return [
      well("mcp", `The MCP endpoint ${url} takes the token and lists ${count} ${count === 1 ? "tool" : "tools"}.`),
    ];
  } catch (error) {
    const status = error instanceof McpAnswerError ? error.status : 0;
    const isRefused = status === 401 || status === 403;
    return [
      problem("mcp", `The MCP endpoint ${url} does not answer as it should: ${messageOf(error)}.`, {
        advice: [
          isRefused
            ? "Give the hub's own token in PAGEWIRE_TOKEN."
            : "Start the hub anew after an update: npx pagewire",
        ],
        exitCode: isRefused ? 4 : 1,
      }),
    ];
  }
}

async function countTools(url: string, token: string): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await askMcp({ url, token, method: "tools/list", params });
    if (!Array.isArray(tools)) throw new McpAnswerError("its list of tools is none", 200);
    count += tools.length;
    if (typeof nextCursor !== "string") return count;
    cursor = nextCursor;
  }
  throw new McpAnswerError("its list of tools does not end", 200);
}
