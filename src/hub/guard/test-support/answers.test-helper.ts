import { agentHelloOf, openAgent } from "../../test-support/agent.test-helper.ts";
import { helloOf, openPage } from "../../test-support/page.test-helper.ts";

/** The hub's answer to a token, sent in each of the four possible ways: "open", or the reason for a refusal. */
export async function answersTo(hub: { readonly url: string }, token: string): Promise<readonly string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const byRequest = await fetch(`${hub.url}/metrics`, { headers });
  const body = await byRequest.text();
  const byUpgrade = await openAgent(hub.url, { headerToken: token }).then(
    () => "open",
    (error: Error) => error.message.replace(/\D/g, ""),
  );
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token }));
  const page = await openPage(hub.url);
  page.send(helloOf({ token }));
  return [
    byRequest.ok ? "open" : (JSON.parse(body) as { error: { code: string } }).error.code,
    byUpgrade,
    (await agent.verdict()).replace("welcome", "open"),
    (await page.verdict()).replace("welcome", "open"),
  ];
}
