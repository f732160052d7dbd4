// Programs, tabs and servers that misbehave: nothing hangs, nothing is lost silently, no answer reaches another terminal.
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { createCallTab } from "./support/delegate.ts";
import type { CallTab } from "./support/delegate.ts";
import type { ShownTerminal } from "./support/shown-terminal.ts";
import { createTerminalWorld } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

let world: TerminalWorld;
let terminal: ShownTerminal;
let environment: Readonly<Record<string, string>>;
let call: CallTab;
/** A server on this machine that answers everybody, and the requests that it received. */
let neighbour: Server;
let neighbourPort: number;
const asked: string[] = [];

beforeAll(async () => {
  neighbour = createServer((incoming, response) => {
    asked.push(incoming.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("a secret of this machine");
  });
  await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve));
  neighbourPort = (neighbour.address() as AddressInfo).port;
  world = await createTerminalWorld({ firstScript: recordsFrames, script: actions });
  world.served["/away"] = redirectTo(`http://127.0.0.1:${neighbourPort}/away`);
  world.served["/to-hub"] = redirectTo(`${world.hub.url}/api/app`);
  terminal = await world.openApp();
  environment = await terminal.environment("PAGEWIRE_");
  call = createCallTab(environment);
});
afterAll(async () => {
  await world?.close();
  neighbour?.close();
});

const redirectTo = (location: string) => ({ body: "", status: 302, headers: { location } });

/** Keeps the page's socket and the frames that arrived over it, as a malicious page could. */
const recordsFrames = `
const Native = WebSocket;
window.heard = [];
window.WebSocket = class extends Native {
  constructor(url, protocols) {
    super(url, protocols);
    if (!String(url).endsWith("/page")) return;
    window.pageSocket = this;
    this.addEventListener("message", ({ data }) => heard.push(JSON.parse(data.split("\\n")[0])));
  }
};`;

const actions = `
registerAction("size", ({ data }) => data.length);
registerAction("large", ({ size }) => "x".repeat(size));
registerAction("count", async function* ({ to, stall }, { signal }) {
  count("began");
  signal.addEventListener("abort", () => count("stopped"));
  for (let step = 1; step <= to; step++) yield String(step);
  if (stall) await new Promise(() => {});
  return "counted to " + to;
});`;

/** Announces a body of this size, and resolves with the response that arrives before the body is sent. */
function announceBody(size: number): Promise<readonly [number | undefined, unknown]> {
  const { PAGEWIRE_TERMINAL_TOKEN: token } = environment;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": size };
  return new Promise((resolve, reject) => {
    const asking = request(`${world.hub.url}/api/browser-delegate`, { method: "POST", headers });
    asking.on("error", reject);
    asking.on("response", (response) => {
      json(response).then((body) => resolve([response.statusCode, body]), reject);
    });
    asking.flushHeaders();
  });
}

/** `observed` is the same as `expected`: otherwise the test would have failed before. */
function note(fault: string, expected: string, count = 1): void {
  recordFault("terminal", { fault, expected, observed: expected, count });
}

/** Sends a result from a tab, for a call of its own or of another tab. */
const answerFrom = ({ tab }: ShownTerminal, id: string, words: string) =>
  tab.evaluate(
    (callId: string, text: string) =>
      window.pageSocket.send(
        `${JSON.stringify({ type: "result", id: callId })}\n${JSON.stringify({ content: [{ type: "text", text }] })}`,
      ),
    id,
    words,
  );

declare global {
  interface Window {
    pageSocket: WebSocket;
  }
}

test("an answer from another tab, a second answer, and one to a call that does not exist are ignored", async () => {
  const other = await world.openApp();
  await terminal.tab.activate();
  await terminal.tab.evaluate("localStorage.removeItem('held')");
  const held = call("hold", { text: "the truth" });
  await terminal.tab.waitFor("localStorage.getItem('held') !== null");
  const id = await terminal.tab.evaluate<string>("heard.findLast(({ type }) => type === 'call').id");
  await answerFrom(other, id, "forged by another tab");
  await answerFrom(terminal, "a-call-of-nobody", "forged");
  await terminal.tab.evaluate("letGo()");
  expect((await held).body["result"]).toBe("the truth");
  await answerFrom(terminal, id, "a second answer");
  expect((await call("echo", { text: "next" })).body["result"]).toMatch(/^next in /);
  note("answer from a tab that was not asked, answer sent twice, answer to no call", "not heard", 3);
  await other.tab.close();
});

test("what is too large in either direction is refused by name, and the tab goes on", async () => {
  const tooLarge = 17 * 1024 * 1024;
  expect(await announceBody(tooLarge)).toMatchObject([413, { code: "body-too-large", ran: "no" }]);
  const big = join(world.home, "big.json");
  await writeFile(big, JSON.stringify({ data: "x".repeat(tooLarge) }));
  expect(await terminal.run("pagewire delegate size - < ~/big.json")).toEqual({
    code: 2,
    output: "Error: The input is larger than a call may be.\n",
  });
  const answer = await call("large", { size: tooLarge });
  expect(answer).toMatchObject({ status: 502, body: { detail: expect.stringContaining("frameBytes"), ran: "yes" } });
  const most = 8 * 1024 * 1024;
  expect((await call("size", { data: "x".repeat(most) })).body["result"]).toBe(String(most));
  expect(String((await call("large", { size: most })).body["result"]).length).toBe(most);
  note("body over 16 MiB, answer over 16 MiB", "refused by name, the tab goes on", 2);
});

test("each of a hundred concurrent calls gets its own answer", async () => {
  const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`);
  const answers = await Promise.all(texts.map((text) => call("echo", { text })));
  const tabId = await terminal.tab.evaluate<string>("pagewire.state.tabId");
  expect(answers.map(({ body }) => body["result"])).toEqual(texts.map((text) => `${text} in ${tabId}`));
  note("a hundred calls at one time", "its own answer for each", 100);
});

test("a stream brings its pieces as they come, and one that stalls ends by itself and stops the work in the tab", async () => {
  const whole = await call("count", { to: 1000 }, { stream: true });
  expect(whole.chunks).toEqual(Array.from({ length: 1000 }, (_, index) => String(index + 1)));
  expect(whole.body).toMatchObject({ type: "done", result: { status: "ok", result: "counted to 1000" } });

  const stalled = await call("count", { to: 2, stall: true }, { stream: true, timeout: 5 });
  expect(stalled.chunks).toEqual(["1", "2"]);
  expect(stalled.body).toMatchObject({ type: "error", code: "deadline-exceeded" });
  await terminal.tab.waitFor("localStorage.getItem('stopped') === '1'");

  const left = new AbortController();
  const leaving = call("count", { to: 1, stall: true }, { stream: true, signal: left.signal });
  await terminal.tab.waitFor("localStorage.getItem('began') === '3'");
  left.abort();
  await expect(leaving).rejects.toThrow();
  await terminal.tab.waitFor("localStorage.getItem('stopped') === '2'");

  await terminal.tab.evaluate("localStorage.removeItem('held')");
  await terminal.type(`pagewire delegate hold '{"text":"x"}'`);
  await terminal.tab.waitFor("localStorage.getItem('held') !== null");
  await terminal.tab.press("Control+c");
  await terminal.tab.waitFor("localStorage.getItem('aborted') === '1'");
  note("stream that stalls, program that goes away, Ctrl-C", "the work in the tab is stopped", 3);
});

test("a forged token, one of a terminal that ended, and another terminal's reach no tab", async () => {
  const other = await world.openApp();
  const theirs = await other.environment("PAGEWIRE_");
  const as = (token: string | undefined) => createCallTab({ ...environment, PAGEWIRE_TERMINAL_TOKEN: token ?? "" });
  const before = await terminal.tab.evaluate("localStorage.getItem('echo')");
  expect(await as("pagewire-terminal.forged")("echo")).toMatchObject({
    status: 401,
    body: { detail: "Invalid workspace token" },
  });
  expect(await as(await world.hub.token())("echo")).toMatchObject({
    status: 401,
    body: { detail: "Invalid workspace token" },
  });
  const without = await fetch(`${world.hub.url}/api/browser-delegate`, { method: "POST", body: "{}" });
  expect([without.status, await without.json()]).toMatchObject([401, { detail: "Missing workspace token" }]);
  expect(await as(theirs["PAGEWIRE_TERMINAL_TOKEN"])("echo")).toMatchObject({
    status: 403,
    body: { detail: "Unknown browser ID" },
  });
  await other.type("exit");
  await other.tab.waitFor("view.state.status === 'ended'");
  expect(await createCallTab(theirs)("echo")).toMatchObject({
    status: 401,
    body: { detail: "Workspace token expired" },
  });
  const elsewhere = await fetch(`${world.hub.url}/api/call/echo`, {
    method: "POST",
    headers: { authorization: `Bearer ${environment["PAGEWIRE_TERMINAL_TOKEN"]}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(elsewhere.status).toBe(401);
  expect(await terminal.tab.evaluate("localStorage.getItem('echo')")).toBe(before);
  note("forged, ended, missing and another terminal's token; a terminal's token at another door", "refused", 6);
  await other.tab.close();
  await terminal.tab.activate();
});

test("an id that is not one word of safe characters is refused by the hub and by the command", async () => {
  const unsafe = ["two words", "$(touch pwned)", "../token", "a;b", "", "x".repeat(129), "a\nb"];
  for (const browserId of unsafe) expect((await call("echo", {}, { browserId })).status, browserId).toBe(422);
  expect((await call("echo", {}, { browserId: "another-word" })).status).toBe(403);
  const { output } = await terminal.run(
    "for id in 'two words' '$(touch pwned)' ''; do pagewire attach-browser \"$id\"; echo $?; done 2>/dev/null",
  );
  expect(output).toBe("2\n2\n2\n");
  expect(await terminal.run("ls pwned")).not.toMatchObject({ code: 0 });
  note("id that is not one safe word", "refused, nothing run", unsafe.length + 3);
});

test("fetch reaches neither the hub nor this machine nor its network, directly, by a redirect or by another spelling", async () => {
  const hub = new URL(world.hub.url).port;
  const port = neighbourPort;
  const refused: Record<string, readonly string[]> = {
    hub: [
      world.hub.url,
      `http://localhost:${hub}/`,
      `http://127.1:${hub}/`,
      `http://[::1]:${hub}/`,
      `http://0.0.0.0:${hub}/`,
      `http://2130706433:${hub}/`,
      `http://LOCALHOST.:${hub}/`,
      `http://a.localhost:${hub}/`,
    ],
    privateNetworks: [
      `http://localhost:${port}/`,
      `http://127.0.0.1:${port}/`,
      `http://0x7f000001:${port}/`,
      `http://0177.0.0.1:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "http://[fe80::1]/",
      "http://10.0.0.1/",
      "http://192.168.1.1/",
      "http://printer.local/",
      "http://intranet/",
    ],
    origins: ["https://example.com/", "//example.com/x"],
    url: [`http://me:secret@127.0.0.1:${port}/`, "http://%zz/"],
    schemes: ["file:///etc/passwd", "data:text/plain,x", "javascript:alert(1)", "blob:x"],
    redirects: ["/away", "/to-hub"],
  };
  for (const [rule, addresses] of Object.entries(refused)) {
    for (const url of addresses) {
      const { status, body } = await call("fetch", { url });
      expect([url, status, body["code"]]).toEqual([url, 502, "action-refused"]);
      expect(body["detail"], url).toContain(`\`${rule}\``);
    }
  }
  expect(asked).toEqual([]);
  const headers = await call("fetch", { url: "/", headers: { Authorization: "Bearer x" } });
  expect(headers.body).toMatchObject({ code: "action-refused", detail: expect.stringContaining("`headers`") });
  note(
    "fetch to the hub, this machine and its network",
    "refused by rule, no request",
    Object.values(refused).flat().length + 1,
  );
});

test("a page that has a tool `fetch` of its own is asked in the place of ours", async () => {
  await terminal.tab.evaluate(
    "void (window.own = pagewire.registerTool({ name: 'fetch', description: 'Ours', execute: ({ url }) => 'the page was asked for ' + url }))",
  );
  const answer = async (url: string) => (await call("fetch", { url })).body;
  // Either change reaches the hub a little later than the page makes it.
  await expect.poll(async () => (await answer("/api"))["result"]).toBe("the page was asked for /api");
  await terminal.tab.evaluate("own.remove()");
  await expect.poll(async () => (await answer("/"))["status"]).toBe(200);
});
