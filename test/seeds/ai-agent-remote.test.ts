// Runs the ai-agent seed's samples for the remote mode: the page in Chromium, the sample's server in this process.
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Tab } from "../e2e/support/tab.ts";
import { openSamplePages, send } from "./ai-agent-samples.ts";
import type { SamplePages, Surroundings } from "./ai-agent-samples.ts";
import { leadFetch, startMinimalServer } from "./ai-agent-servers.ts";
import type { SampleServer } from "./ai-agent-servers.ts";

let pages: SamplePages;
let server: SampleServer;
const tabs: Tab[] = [];

beforeAll(async () => {
  pages = await openSamplePages();
  leadFetch(pages.models);
  server = await startMinimalServer();
});

afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});

afterAll(async () => {
  await pages.close();
  await server.close();
  vi.unstubAllGlobals();
});

/** Opens the page that runs a sample, and redirects its sockets to the sample's server. */
async function run(heading: string, { html = "", before = "" }: Surroundings = {}): Promise<Tab> {
  const led = `<script>
    const Direct = WebSocket;
    window.opened = [];
    window.WebSocket = class extends Direct {
      constructor(url, protocols) {
        window.opened.push(String(url));
        super("${server.url}", protocols);
      }
    };
    window.AI_REMOTE_CORE_URL = "wss://example.com/ai-agent";
  </script>`;
  const tab = await pages.run(heading, { html: led + html, before, registers: true });
  tabs.push(tab);
  return tab;
}

const remotely = 'import "@csbc-dev/ai-agent/auto/remoteEnv";';
const agent = '<ai-agent provider="openai" model="gpt-4o" api-key="sk-local"></ai-agent>';
const last = () => pages.models.heard.at(-1) ?? expect.fail("No model was asked.");

/** Sets the element's model, which its sample leaves out. */
const setModel = (tab: Tab) => tab.evaluate("document.querySelector('ai-agent').setAttribute('model', 'gpt-4o')");

test.each(["Enable remote mode", "Remote mode by environment"])("%s, with Minimal server", async (heading) => {
  const tab = await run(heading, { html: agent });
  expect(await send(tab, "Hello there")).toBe("You said: Hello there");
  expect(await tab.evaluate("opened")).toEqual(["wss://example.com/ai-agent"]);
  const said = "document.querySelector('ai-agent').messages.map(({ role, content }) => role + ': ' + content)";
  await expect.poll(() => tab.evaluate(said)).toEqual(["user: Hello there", "assistant: You said: Hello there"]);
  expect(last()).toMatchObject({ path: "/openai/v1/chat/completions", body: { model: "gpt-4o" } });
  expect(last().headers).not.toHaveProperty("authorization");
});

test("Credentials stay", async () => {
  const tab = await run("Credentials stay", { before: remotely });
  await setModel(tab);
  expect(await send(tab, "Hello")).toBe("You said: Hello");
  expect(await send(tab, "Again")).toBe("You said: Again");
  expect(JSON.stringify([last().headers, last().body])).not.toContain("this-stays-local");
  expect(tab.console.messages.filter(({ type }) => type === "error")).toHaveLength(1);
});

test("Credential forwarding", async () => {
  const tab = await run("Credential forwarding", { before: remotely });
  await setModel(tab);
  expect(await send(tab, "Hello")).toBe("You said: Hello");
  expect(last()).toMatchObject({ path: "/proxy/v1/chat/completions", headers: { authorization: "Bearer sk-..." } });
});

test("forwardCredentials", async () => {
  const tab = await run("forwardCredentials", { html: agent, before: remotely });
  expect(await send(tab, "Hello")).toBe("You said: Hello");
  expect(last().headers).toMatchObject({ authorization: "Bearer sk-local" });
});
