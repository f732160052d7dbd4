// An agent on the Claude Agent SDK. It answers one question with the tools of the pages that are open, and with no others:
// PAGEWIRE_TOKEN=$(npx pagewire token show) node agent.mjs "What did we sell last week?"
import { query } from "@anthropic-ai/claude-agent-sdk";

const { PAGEWIRE_URL = "http://127.0.0.1:7337", PAGEWIRE_TOKEN, ANTHROPIC_MODEL } = process.env;

const messages = query({
  prompt: process.argv[2],
  options: {
    model: ANTHROPIC_MODEL,
    maxTurns: 10,
    tools: [],
    settingSources: [],
    mcpServers: {
      pagewire: { type: "http", url: `${PAGEWIRE_URL}/mcp`, headers: { Authorization: `Bearer ${PAGEWIRE_TOKEN}` } },
    },
    allowedTools: ["mcp__pagewire"],
  },
});
for await (const message of messages) {
  if (message.type !== "result") continue;
  if (message.subtype !== "success") throw new Error(`Claude stopped: ${message.subtype}`);
  console.log(message.result);
}
