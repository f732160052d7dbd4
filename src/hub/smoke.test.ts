import { expect, test } from "vitest";
import { startHub } from "./hub.test-helper.ts";
import { connectPage, openChannels, greet } from "./page.test-helper.ts";
import { connectAgent } from "./agent.test-helper.ts";
import { callTool } from "./http.test-helper.ts";
test("H30: smoke", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const answer = await callTool(hub, "work", { body: '{"a":1}' });
  console.log(answer.status, answer.text, page.calls);
  const agent = await connectAgent(hub.url, { token: hub.token });
  console.log(await agent.call("work", { id: "1" }));
  const open = await openChannels(hub.url);
  const other = await greet(open(), { tab: "t2", tools: ["other"] });
  console.log(await agent.call("other", { id: "1" }), await hub.metric("pagewire_tabs"), hub.records);
});
