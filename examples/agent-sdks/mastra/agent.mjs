// An agent of Mastra's. It answers one question with the tools of the pages that are open:
// PAGEWIRE_TOKEN=$(npx pagewire token show) node agent.mjs "What did we sell last week?"
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const {
  PAGEWIRE_URL = "http://127.0.0.1:7337",
  PAGEWIRE_TOKEN,
  OPENAI_MODEL = "gpt-5",
  OPENAI_BASE_URL: baseURL,
} = process.env;

const servers = new MCPClient({
  servers: {
    pagewire: {
      url: new URL("/mcp", PAGEWIRE_URL),
      requestInit: { headers: { Authorization: `Bearer ${PAGEWIRE_TOKEN}` } },
    },
  },
});
try {
  const agent = new Agent({
    name: "Pages",
    instructions: "Answer with the tools of the pages that the user has open.",
    model: createOpenAI({ baseURL })(OPENAI_MODEL),
    // Later tools are reached by list_tab_tools and call_tab_tool.
    tools: await servers.getTools(),
  });
  const { text } = await agent.generate(process.argv[2]);
  console.log(text);
} finally {
  await servers.disconnect();
}
