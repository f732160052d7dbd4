// assistant-ui's chat in a real browser, over our transport.
import { expect, test } from "vitest";
import { bundleModule } from "../e2e/support/bundle.ts";
import { launchChromium } from "../e2e/support/chromium.ts";
import { startModelServer } from "../e2e/support/model-server.ts";
import { record, versionOf } from "./support/record.ts";

test("a question is asked in its composer; the tool's result and the answer are shown", async ({ onTestFinished }) => {
  const script = await bundleModule(`import "../../interop/support/assistant-page.mjs";`);
  const page = `<!doctype html><title>Chat</title><body><script type="module" src="/page.js"></script>`;
  const server = await startModelServer({ "/": page, "/page.js": script });
  onTestFinished(() => server.close());
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const tab = await browser.open(`${server.origin}/`);
  await tab.type("textarea", "How is the weather?");
  await tab.click("button");
  const texts = await tab.waitFor<string[]>(`(() => {
    const shown = [...document.querySelectorAll("p, output")].map(({ textContent }) => textContent);
    return shown.at(-1)?.startsWith("It says") && shown;
  })()`);
  expect(texts).toEqual(["How is the weather?", 'get_weather: "sunny in Tokyo"', "It says sunny in Tokyo."]);
  expect(await tab.evaluate("ran")).toEqual(["Tokyo"]);
  expect(tab.console.errors).toEqual([]);
  for (const partner of ["@assistant-ui/react", "@assistant-ui/react-ai-sdk"]) {
    await record(
      { partner, version: await versionOf(partner) },
      "useChatRuntime({ transport: createChatTransport(core) }) with React 19",
      "the question, the tool's result and the answer are shown; the tool ran once",
    );
  }
});
