// The console's inbox: what an MCP client, a conversation in the agent's window and a program in a terminal wait for is
// answered there, and the places where it was asked close their questions.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { parsePolicy } from "pagewire/hub";
import { answer, ask, createAssistantWorld } from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";
import { axeFindings } from "./axe.test-helper.ts";
import { createCallTab } from "./support/delegate.ts";
import { dialogIn, noDialogIn } from "./support/dialog.ts";
import { connectMcp } from "./support/mcp-client.ts";
import type { Tab } from "./support/tab.ts";
import { tabIdOf, worldToken } from "./support/world.ts";

const ownersKey = "shell-key-of-this-test";
const agentHeaders = { authorization: `Bearer ${worldToken}`, "content-type": "application/json" };

let world: AssistantWorld;
let bank: Tab;
let console: Tab;

beforeAll(async () => {
  const policy = parsePolicy('{"rules":[{"name":"paying-asks","tool":"pay","decision":"ask"}]}');
  world = await createAssistantWorld({
    hub: { shell: { key: () => ownersKey, load: () => Promise.reject(new Error("None.")) }, policy: () => policy },
    pages: (hub) => ({ "/bank": bankPage(hub) }),
  });
});
afterAll(() => world?.close());

beforeEach(async () => {
  bank = await world.openApp("/bank");
  await bank.waitFor("pagewire.state.status === 'connected'");
  console = await world.browser.open(`${world.hub.url}/console#code=${await ownerCode()}`);
  await console.waitFor("document.querySelector('main h1')");
  await console.evaluate(() => (location.hash = "#/waits"));
  await console.waitFor("document.querySelector('.waits')");
});
afterEach(async () => {
  for (const tab of await world.browser.tabs()) await tab.close();
});

function bankPage(hub: string): string {
  return `<!doctype html><title>Bank</title><script src="${hub}/pagewire.js" data-app="bank"></script><script type="module">
pagewire.registerTool({ name: "pay", title: "Pay", description: "Pays a <b>bill</b>.", inputSchema: { type: "object" },
  annotations: { destructiveHint: true }, execute: ({ to }) => "paid " + to });
pagewire.registerTool({ name: "greet", inputSchema: { type: "object" }, execute: async (_, { ask }) =>
  "Hello " + (await ask({ message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } })).content?.name });
</script>`;
}

async function ownerCode(): Promise<string> {
  const headers = { authorization: `Bearer ${ownersKey}` };
  const response = await fetch(`${world.hub.url}/api/owner-codes`, { method: "POST", headers });
  return ((await response.json()) as { code: string }).code;
}

const enabled = (name: string) => `.wait-answers .button.${name}:not(:disabled)`;

/** Answers the only card that is there, as a person does. */
async function decide(button: string): Promise<void> {
  await console.activate();
  await console.waitFor(`document.querySelectorAll("${enabled(button)}").length === 1`);
  await console.click(enabled(button));
}

const noCards = () => console.waitFor("document.querySelectorAll('.wait').length === 0");
const textOfCard = () => console.waitFor<string>("document.querySelector('.wait')?.innerText");

test("what an MCP client, a terminal and a conversation wait for is allowed in the inbox", async () => {
  const mcp = await connectMcp(world.hub, worldToken);
  const paid = mcp.callTool({ name: "pay", arguments: { to: "ada" } });
  expect(await textOfCard()).toMatch(/Allow “Pay”\?[^]*Destructive[^]*tester \(MCP\) · “Bank”[^]*"to": "ada"/);
  expect(await console.evaluate(() => [document.title.startsWith("(1) "), document.querySelector(".wait b")])).toEqual([
    true,
    null,
  ]);
  await bank.waitFor("document.querySelector('pagewire-dialog')");
  expect(await axeFindings(console)).toEqual([]);
  await decide("danger");
  expect(await paid).toMatchObject({ content: [{ text: "paid ada" }] });
  await noDialogIn(bank);
  await bank.waitFor("document.querySelector('pagewire-note')");
  await noCards();
  await mcp.close();

  const made = await fetch(`${world.hub.url}/api/terminals`, {
    method: "POST",
    headers: agentHeaders,
    body: '{"name":"main"}',
  });
  const { id, token } = (await made.json()) as { id: string; token: string };
  const tab = await tabIdOf(bank);
  await fetch(`${world.hub.url}/api/terminals/${id}/attach`, {
    method: "POST",
    headers: agentHeaders,
    body: JSON.stringify({ tab }),
  });
  const callTab = createCallTab({ PAGEWIRE_URL: world.hub.url, PAGEWIRE_TERMINAL: id, PAGEWIRE_TERMINAL_TOKEN: token });
  const delegated = callTab("pay", { to: "eve" });
  expect(await textOfCard()).toContain("a terminal");
  await decide("danger");
  expect(await delegated).toMatchObject({ status: 200 });
  await noCards();

  const app = await world.openApp();
  const assistant = await world.openAssistant(app);
  await ask(assistant, 'call write {"tag":"inbox"}');
  await assistant.waitFor("document.querySelector('.approval')");
  expect(await textOfCard()).toMatch(/Allow “write”\?[^]*"tag": "inbox"[^]*More answers/);
  await decide("strong");
  expect(await answer(assistant)).toContain('{"written":"inbox"}');
  await assistant.waitFor("!document.querySelector('.approval')");
  await noCards();
});

test("refused in its page, the card goes and says so; a tool's question is answered by a form, with the keyboard", async () => {
  const mcp = await connectMcp(world.hub, worldToken);
  const greeted = mcp.callTool({ name: "greet", arguments: {} });
  await console.activate();
  await console.waitFor(
    "document.querySelector('.wait input') && document.querySelector('.wait .button.strong:not(:disabled)')",
  );
  expect(await axeFindings(console)).toEqual([]);
  await console.evaluate(() => document.querySelector<HTMLElement>(".wait input")?.focus());
  await console.send("Input.insertText", { text: "Ann" });
  await console.press("Enter");
  expect(await greeted).toMatchObject({ content: [{ text: "Hello Ann" }] });
  await noDialogIn(bank);
  const paid = mcp.callTool({ name: "pay", arguments: {} });
  await console.waitFor("document.querySelector('.wait.destructive')");
  await bank.activate();
  await bank.waitFor("document.querySelector('pagewire-dialog[ready]')");
  await bank.press("Escape");
  expect(await paid).toMatchObject({ isError: true });
  await noCards();
  await console.waitFor("document.querySelector('.toasts')?.textContent.includes('pay: Answered in its page.')");
  await mcp.close();
});

test("an agent's token looks and does not answer", async () => {
  const mcp = await connectMcp(world.hub, worldToken);
  const paid = mcp.callTool({ name: "pay", arguments: {} });
  await console.waitFor("document.querySelector('.wait')");
  const agent = await fetch(`${world.hub.url}/api/waits`, { headers: agentHeaders });
  const { waits, mayAnswer } = (await agent.json()) as { waits: { id: string }[]; mayAnswer: boolean };
  const answered = await fetch(`${world.hub.url}/api/waits/${waits[0]?.id}`, {
    method: "POST",
    headers: agentHeaders,
    body: '{"answer":"allow"}',
  });
  expect([mayAnswer, answered.status]).toEqual([false, 403]);
  await decide("danger");
  expect(await paid).toMatchObject({ content: [{ text: "paid undefined" }] });
  await mcp.close();
});

test("a dialog that a page opened by itself is listed with the way to its page, and is answered there only", async () => {
  const opened = bank.evaluate(
    `pagewire.approveInPage({ tool: "wire", title: "Wire", arguments: {}, agent: { name: "shop" }, reason: "" }, new AbortController().signal).then(({ approved }) => approved)`,
  );
  expect(await textOfCard()).toMatch(/“Bank” asks you something in its page[^]*Allow “Wire”\?[^]*Where this page is/);
  expect(await axeFindings(console)).toEqual([]);
  expect(await console.evaluate(() => document.querySelectorAll(".wait, .wait button").length)).toBe(1);
  await console.activate();
  await console.click(".wait .button");
  await console.waitFor("document.querySelector('.tab-place h2')?.textContent === 'Bank'");
  await console.evaluate(() => history.back());
  await console.waitFor("document.querySelector('.wait')");
  await bank.activate();
  await (await dialogIn(bank)).click("Allow once");
  expect(await opened).toBe(true);
  await noCards();
});

test("a question that is listed is listed once, although its dialog is shown in the page", async () => {
  const mcp = await connectMcp(world.hub, worldToken);
  const greeted = mcp.callTool({ name: "greet", arguments: {} });
  const dialog = await dialogIn(bank);
  await console.waitFor("document.querySelector('.wait input')");
  expect(await console.evaluate(() => document.querySelectorAll(".wait").length)).toBe(1);
  await bank.activate();
  await dialog.fill("Ann");
  await dialog.click("Send");
  expect(await greeted).toMatchObject({ content: [{ text: "Hello Ann" }] });
  await noCards();
  await mcp.close();
});
