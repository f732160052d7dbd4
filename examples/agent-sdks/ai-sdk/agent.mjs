// An agent on the Vercel AI SDK. It answers one question with the tools of the pages that are open:
// PAGEWIRE_TOKEN=$(npx pagewire token show) node agent.mjs "What did we sell last week?"
import { createMCPClient } from "@ai-sdk/mcp";
import { openai } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";

const { PAGEWIRE_URL = "http://127.0.0.1:7337", PAGEWIRE_TOKEN, OPENAI_MODEL = "gpt-5" } = process.env;

const pages = await createMCPClient({
  clientName: "ai-sdk-agent",
  transport: { type: "http", url: `${PAGEWIRE_URL}/mcp`, headers: { Authorization: `Bearer ${PAGEWIRE_TOKEN}` } },
});
try {
  const { text } = await generateText({
    model: openai(OPENAI_MODEL),
    prompt: process.argv[2],
    stopWhen: stepCountIs(10),
    // Later tools are reached by list_tab_tools and call_tab_tool.
    tools: await pages.tools(),
  });
  console.log(text);
} finally {
  await pages.close();
}
