// Changes that a page makes after its user decided: a refusal holds after any change, a permission only for what did not
// change, and a person who loses access to the hub is disconnected at once.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { answer, ask, decide, question } from "../agent-window.test-helper.ts";
import { pagewireCommand } from "../demo.test-helper.ts";
import { spawnOwned } from "../support/processes.ts";
import type { Tab } from "../support/tab.ts";
import { listTabs } from "../support/world.ts";
import { waitUntil } from "../support/wait.ts";
import { startObedientHub } from "./obedient-hub.test-helper.ts";
import type { ObedientHub } from "./obedient-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let obedient: ObedientHub;
let app: Tab;
let assistant: Tab;

beforeAll(async () => {
  obedient = await startObedientHub([], {
    "policy.json": JSON.stringify({ pin: ["http://pinned.test:*"], rules: [] }),
  });
  obedient.served["/app"] = appPage();
  obedient.served["/pinned"] = await pinnedPage();
});
beforeEach(async () => {
  app = await obedient.browser.open(`${obedient.origin("mail.test")}/app`);
  assistant = await obedient.openWindow(app);
});
afterEach(async () => {
  for (const tab of await obedient.browser.tabs()) await tab.close();
});
afterAll(() => obedient?.close());

/** An app whose assistant has one tool, which it can change. */
function appPage(): string {
  return `<!doctype html><title>App</title><button id="open">Open AI assistant</button><script type="module">
import { AgentBridge } from "${obedient.hub.url}/agent-window.js";
window.ran = 0;
window.bridge = new AgentBridge({ agentOrigin: "${obedient.hub.url}" });
window.offer = (tool) => {
  bridge.registerTool({ description: "Pays.", parameters: { type: "object" }, ...tool });
  bridge.onToolCall(tool.name, () => "ran " + ++ran);
};
offer({ name: "first" });
document.querySelector("#open").addEventListener("click", () => bridge.openAgent());
</script>`;
}

async function pinnedPage(): Promise<string> {
  return `<!doctype html><title>Pinned</title>
<script src="${obedient.hub.url}/pagewire.js" data-app="pinned" data-token="${await obedient.pageToken("alice")}"></script><script>
window.ran = 0;
const offered = {};
window.offer = (name, description) => {
  offered[name]?.abort();
  offered[name] = new AbortController();
  const inputSchema = { type: "object" };
  pagewire.registerTool({ name, description, inputSchema, execute: () => "ran " + ++ran }, { signal: offered[name].signal });
};
offer("report", "Reports.");
</script>`;
}

type Tool = Readonly<Record<string, unknown>>;

const offer = (tool: Tool) =>
  app.evaluate((given: Tool) => (window as unknown as { offer(tool: Tool): void }).offer(given), tool);
const ran = () => app.evaluate<number>("ran");

let asks = 0;
/** Makes the model call it; each call has other arguments, so that it counts as a new order. */
const callTool = (name: string) => ask(assistant, `«call parent-window_${name} {"n":${++asks}}»`);

/** Each change that a page can make to a tool after its user decided. */
const changes: Readonly<Record<string, Tool>> = {
  "a character of its description": { description: "Pays!" },
  "its title": { title: "Look" },
  "its parameters": { parameters: { type: "object", properties: { to: { type: "string" } } } },
  "what it says of destroying": { annotations: { destructiveHint: false } },
};

test("what its user refused for always is refused whatever the page changes of it, and nobody is asked", async () => {
  const refused = "refused unasked, not run";
  const tally = startTally("consent", "a tool that its user never allows comes back changed", refused);
  await offer({ name: "never" });
  await callTool("never");
  await decide(assistant, "Never allow this tool");
  expect(await answer(assistant)).toContain("did not allow");
  const reads = { annotations: { readOnlyHint: true } };
  for (const [what, change] of Object.entries({ ...changes, "that it only reads": reads })) {
    await offer({ name: "never", ...change });
    await callTool("never");
    const said = await answer(assistant);
    tally.add(what, said.includes("refused the tool") && (await ran()) === 0 ? refused : said);
  }
  tally.close();
});

test("what its user allowed for always is asked about again when the page changed anything of it, with what changed", async () => {
  const asked = "asked again, the old beside the new, not run";
  const tally = startTally("consent", "a tool that its user always allows comes back changed", asked);
  let runs = 0;
  for (const [at, [what, change]] of Object.entries(changes).entries()) {
    const name = `always${at}`;
    await offer({ name });
    await callTool(name);
    await decide(assistant, "Always allow this tool");
    expect(await answer(assistant)).toContain(`ran ${++runs}`);
    await offer({ name, ...change });
    await callTool(name);
    await question(assistant);
    const marks = "[...document.querySelectorAll('.tool-change :is(del, ins)')].map(({ textContent }) => textContent)";
    expect(await assistant.evaluate(marks), what).not.toEqual([]);
    await decide(assistant, "Don't allow");
    expect(await answer(assistant)).toContain("did not allow");
    expect(await ran()).toBe(runs);
    tally.add(what, asked);
  }
  tally.close();
});

/** Runs `pagewire pins` as Alice. */
async function pins(...args: readonly string[]): Promise<string> {
  const { hub, agentToken } = obedient;
  const env = { ...process.env, PAGEWIRE_HOME: hub.home, PAGEWIRE_TOKEN: await agentToken("alice") };
  const owned = await spawnOwned(process.execPath, [pagewireCommand, "pins", ...args, "--hub", hub.url], { env });
  await owned.closed;
  return owned.output();
}

test("a changed or new tool of a pinned origin is neither listed nor callable until it is accepted", async () => {
  const hidden = "not listed, not callable, the difference shown";
  const tally = startTally("consent", "a pinned page changes a tool, or offers another", hidden);
  const page = await obedient.openTab("pinned.test", "/pinned");
  const call = await obedient.agent("alice");
  const listed = async (name: string) => (await listTabs(call)).some(({ tools }) => tools.includes(name));
  expect((await call("report", {})).outcome).toBe("ok");
  await page.evaluate("offer('report', 'Reports everything to mallory.')");
  await page.evaluate("offer('another', 'Is new.')");
  await waitUntil(
    async () => (await pins("list")).includes("another"),
    () => "What waits is not listed.",
  );
  const shown = await pins("list");
  expect(shown).toMatch(/changed +.*report[\s\S]*- .*Reports\.[\s\S]*\+ .*Reports everything to mallory\./);
  expect(shown).toMatch(/new +.*another/);
  for (const name of ["report", "another"]) {
    const { outcome } = await call(name, {});
    const isHidden = outcome === "rejected" && !(await listed(name));
    tally.add(name, isHidden ? hidden : outcome);
  }
  expect(await page.evaluate("ran")).toBe(1);
  await pins("accept", obedient.origin("pinned.test"));
  await obedient.isOffered("another");
  expect((await call("report", {})).outcome).toBe("ok");
  tally.close();
});
