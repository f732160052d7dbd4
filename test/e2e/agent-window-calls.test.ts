// The assistant's model calls the app's tools: changes to the app, failures, slow calls, and many calls at once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { answer, ask, countsOf, createAssistantWorld, ready, started } from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";
import type { Tab } from "./support/tab.ts";

let world: AssistantWorld;
let app: Tab;
let assistant: Tab;

beforeAll(async () => {
  world = await createAssistantWorld({ host: "app.test" });
  app = await world.openApp();
  assistant = await world.openAssistant(app);
});
afterAll(() => world?.close());

/** The tool results that the model receives for these calls. */
async function told(...lines: readonly string[]): Promise<string> {
  await ask(assistant, ...lines);
  return answer(assistant);
}

/** Waits until the window shows that the app offers `count` tools; by then the hub knows them too. */
async function offers(count: number): Promise<void> {
  await assistant.waitFor(
    `document.querySelector('.top-bar').innerText.includes("app.test:${world.app.port}, ${count} tools")`,
  );
}

/** Allows the pending call, once its question has stopped moving. */
async function allow(): Promise<void> {
  await assistant.waitFor("document.querySelector('.approval .strong')?.ariaDisabled === 'false'");
  await assistant.click(".approval .strong");
}

function note(fault: string, observed: string): void {
  recordFault("assistant", { fault, expected: "one honest outcome", observed, count: 1 });
}

const talk = "document.querySelector('.talk').innerText";

test("a tool that is registered after the window opened is called", async () => {
  await app.evaluate("void bridge.registerTool({ ...offer('late', ({ tag }) => ({ late: tag })), name: 'late' })");
  await offers(10);
  expect(await told('call late {"tag":"registered"}')).toBe('{"late":"registered"}');
});

test("a tool that is removed while it runs ends; its next call does not run", async () => {
  await ask(assistant, 'call hold {"tag":"removed"}');
  await started(app, "removed");
  await app.evaluate("void bridge.unregisterTool('hold')");
  await offers(9);
  await app.evaluate("held.removed()");
  expect(await answer(assistant)).toBe('{"tag":"removed"}');
  expect(await told('call hold {"tag":"gone"}')).toContain("is not defined");
  expect(await countsOf(app, "gone")).toEqual({ ran: 0, aborted: 0 });
  note("tool taken back while it runs", "ok, one run; the next is refused");
});

test("a tool that is removed while its call waits for the user does not run, and the model gets the reason", async () => {
  await ask(assistant, 'call write {"tag":"too-late"}');
  await assistant.waitFor("document.querySelector('.approval .strong')");
  await app.evaluate("void bridge.unregisterTool('write')");
  await offers(8);
  await allow();
  expect(await answer(assistant)).toContain("does not offer");
  expect(await countsOf(app, "too-late")).toEqual({ ran: 0, aborted: 0 });
  note("tool taken back while its call waits for the user", "not run, and told so");
});

test("a tool that changes while it runs ends unchanged; the next call has the new schema and handler", async () => {
  await app.evaluate("void bridge.registerTool(offer('hold'))");
  await offers(9);
  await ask(assistant, 'call hold {"tag":"old"}');
  await started(app, "old");
  await app.evaluate(`
    const tool = offer("hold", ({ tag, size }) => ({ tag, size }));
    const properties = { tag: { type: "string" }, size: { type: "number" } };
    void bridge.registerTool({ ...tool, title: "Held", parameters: { type: "object", properties, required: ["size"] } });
  `);
  await assistant.waitFor(`${talk}.includes("Held")`);
  await app.evaluate("held.old()");
  expect(await answer(assistant)).toBe('{"tag":"old"}');
  expect(await told('call hold {"tag":"new"}')).toContain("/size is required");
  expect(await told('call hold {"tag":"new","size":2}')).toBe('{"tag":"new","size":2}');
  expect(await countsOf(app, "new")).toEqual({ ran: 1, aborted: 0 });
  note("tool changed while it runs", "ok as before; the next has the new schema");
});

test.each([
  ["a missing field", "{}", "tag"],
  ["a wrong type", '{"tag":1}', "tag"],
  ["a field too many", '{"tag":"refused","more":true}', "more"],
  ["no object", "[1]", "JSON object"],
  ["no JSON", '{"tag":', "not JSON"],
])("arguments with %s run nothing, and the model gets the reason", async (_what, json, word) => {
  const before = await app.evaluate("Object.entries(localStorage).sort()");
  expect(await told(`call echo ${json}`)).toContain(word);
  expect(await app.evaluate("Object.entries(localStorage).sort()")).toEqual(before);
});

test("the model gets a handler's error, also one without a message", async () => {
  expect(await told('call fail {"tag":"third"}')).toBe('{"error":"The shelf third is empty."}');
  expect(await told('call nothing {"tag":"nothing"}')).toContain('{"error":"');
  expect((await countsOf(app, "third")).ran + (await countsOf(app, "nothing")).ran).toBe(2);
});

test("a handler that hangs is aborted at its deadline, and the model gets an unknown outcome", async () => {
  // Only here: with this limit the slow calls of other tests would time out.
  const brief = await createAssistantWorld({ host: "app.test", limits: { parentCallTime: 10_000 } });
  try {
    const app = await brief.openApp();
    const assistant = await brief.openAssistant(app);
    await ask(assistant, 'call never {"tag":"hangs"}');
    expect(await answer(assistant)).toContain("(deadline-exceeded)");
    await app.waitFor("localStorage.getItem('aborted:hangs')");
    expect(await countsOf(app, "hangs")).toEqual({ ran: 1, aborted: 1 });
    await ask(assistant, 'call echo {"tag":"after-hang"}');
    expect(await answer(assistant)).toBe('{"tag":"after-hang"}');
  } finally {
    await brief.close();
  }
  note("handler that never returns", "deadline-exceeded, handler aborted");
});

test("a result of one megabyte arrives whole", async () => {
  const text = await told('call big {"tag":"big","ms":1000000}');
  expect([text.length, text.replaceAll("x", "")]).toEqual([1_000_000, ""]);
  note("handler that returns 1 MB", "ok");
});

test("fifty concurrent calls run once each, and each gets its own result", async () => {
  const tags = Array.from({ length: 50 }, (_, index) => `many-${index}`);
  // The first calls take longest, so answers arrive in reverse order.
  const lines = tags.map((tag, index) => `call wait {"tag":"${tag}","ms":${500 - index * 10}}`);
  expect(await told(...lines)).toBe(tags.map((tag) => `{"tag":"${tag}"}`).join("\n"));
  const counts = await Promise.all(tags.map((tag) => countsOf(app, tag)));
  expect(new Set(counts.map(({ ran, aborted }) => `${ran} ${aborted}`))).toEqual(new Set(["1 0"]));
  recordFault("assistant", {
    fault: "fifty calls at once, answered in another order",
    expected: "one run and its own result for each",
    observed: "ok, one run each",
    count: 50,
  });
});

test("the window shows a call's progress while it runs", async () => {
  await app.evaluate(`
    void bridge.registerTool(offer("steps", async ({ tag }, { progress }) => {
      progress(2, 3, "Second of three");
      await new Promise((resolve) => (window.finish = resolve));
      return { tag };
    }));
  `);
  await ask(assistant, 'call steps {"tag":"steps"}');
  await assistant.waitFor(`${talk}.includes("Second of three")`);
  await app.evaluate("finish()");
  expect(await answer(assistant)).toBe('{"tag":"steps"}');
});

test("stopping the answer stops the tool in the app, and the next question works", async () => {
  await ask(assistant, 'call never {"tag":"stopped"}');
  await started(app, "stopped");
  await assistant.click(".composer [aria-label='Stop the answer']");
  await app.waitFor("localStorage.getItem('aborted:stopped')");
  expect(await countsOf(app, "stopped")).toEqual({ ran: 1, aborted: 1 });
  expect(await told('call echo {"tag":"after-stop"}')).toBe('{"tag":"after-stop"}');
  const results = await assistant.evaluate<string[]>(
    "document.querySelector('ai-agent').messages.filter(({ role }) => role === 'tool').map(({ content }) => content)",
  );
  expect(results.at(-2)).toContain("whether it did anything is not known");
  note("answer stopped while a tool runs", "handler aborted, told as unknown");
});

test("a call that the user allows after the app was reloaded runs once, in the current page", async () => {
  await app.evaluate("void bridge.registerTool(offer('write'))");
  await offers(10);
  await ask(assistant, 'call write {"tag":"allowed"}');
  await assistant.waitFor("document.querySelector('.approval .strong')");
  await app.reload();
  await app.waitFor("bridge.getConnectionState() === 'connected'");
  await ready(assistant);
  expect(await countsOf(app, "allowed")).toEqual({ ran: 0, aborted: 0 });
  await allow();
  expect(await answer(assistant)).toBe('{"written":"allowed"}');
  expect(await countsOf(app, "allowed")).toEqual({ ran: 1, aborted: 0 });
});
