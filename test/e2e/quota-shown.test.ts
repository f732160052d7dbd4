import { createHub } from "pagewire/hub";
import { expect, test } from "vitest";
import { openChromium } from "./support/chromium.ts";

test("the chat says what is left of a quota near its end, and when there are new tokens once it is used up", async () => {
  const token = "agents-token-of-this-test";
  const ai = { provider: "rehearsal", quota: 900 } as const;
  const hub = await createHub({ port: 0, agentToken: () => token, ai });
  const browser = await openChromium();
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const asked = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
    const tab = await browser.open(((await asked.json()) as { readonly url: string }).url);
    const shows = (text: string) =>
      tab.waitFor((part) => document.querySelector(".notices")?.textContent?.includes(part), { values: [text] });
    await tab.waitFor("document.querySelector('.status')?.textContent.includes('Connected')");
    expect(await tab.evaluate("document.querySelector('.status').textContent.includes('tokens left')")).toBe(false);
    const say = async () => {
      await tab.type(".composer textarea", "Tell me something about yourself. ".repeat(20));
      await tab.press("Enter");
    };
    for (let left = 900; left > 0;) {
      await say();
      const before = left;
      await expect
        .poll(async () => {
          const quota = await fetch(`${hub.url}/api/quota`, { headers });
          return (left = ((await quota.json()) as { readonly left: number }).left);
        })
        .toBeLessThan(before);
      await tab.waitFor("document.querySelector('ai-agent').loading === false");
    }
    await shows("900 tokens that you may use today are used up. There are new ones from");
    expect(await tab.evaluate("document.querySelector('.status').textContent")).toContain("0 tokens left today");
  } finally {
    await browser.close();
    await hub.close();
  }
});
