// An agent of LangChain's. It answers one question with the tools of the pages that are open:
// PAGEWIRE_TOKEN=$(npx pagewire token show) node agent.mjs "What did we sell last week?"
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const {
  PAGEWIRE_URL = "http://127.0.0.1:7337",
  PAGEWIRE_TOKEN,
  OPENAI_MODEL = "gpt-5",
  OPENAI_BASE_URL: baseURL,
} = process.env;

const servers = new MultiServerMCPClient({
  mcpServers: {
    pagewire: { transport: "http", url: `${PAGEWIRE_URL}/mcp`, headers: { Authorization: `Bearer ${PAGEWIRE_TOKEN}` } },
  },
});
try {
  const model = new ChatOpenAI({ model: OPENAI_MODEL, configuration: { baseURL } });
  // Later tools are reached by list_tab_tools and call_tab_tool.
  const agent = createAgent({ model, tools: await servers.getTools() });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: process.argv[2] }] });
  console.log(messages.at(-1).text);
} finally {
  await servers.close();
}
