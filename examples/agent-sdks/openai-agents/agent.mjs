// An agent on the OpenAI Agents SDK. It answers one question with the tools of the pages that are open:
// PAGEWIRE_TOKEN=$(npx pagewire token show) node agent.mjs "What did we sell last week?"
import { Agent, MCPServerStreamableHttp, run } from "@openai/agents";

const { PAGEWIRE_URL = "http://127.0.0.1:7337", PAGEWIRE_TOKEN, OPENAI_MODEL = "gpt-5" } = process.env;

const pages = new MCPServerStreamableHttp({
  name: "pagewire",
  url: `${PAGEWIRE_URL}/mcp`,
  requestInit: { headers: { Authorization: `Bearer ${PAGEWIRE_TOKEN}` } },
  // A page's tools come and go: each turn has those that are open then.
  cacheToolsList: false,
});
await pages.connect();
try {
  const agent = new Agent({
    name: "Pages",
    model: OPENAI_MODEL,
    instructions: "Answer with the tools of the pages that the user has open.",
    mcpServers: [pages],
  });
  const { finalOutput } = await run(agent, process.argv[2]);
  console.log(finalOutput);
} finally {
  await pages.close();
}
