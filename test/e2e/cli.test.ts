// The real command against a real hub and real pages: the output for users, and the contract for programs.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { spawnOwned } from "./support/processes.ts";
import { shopPage } from "./support/shop.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, connected, countsOf, offered, started, tabIdOf } from "./support/world.ts";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let pages: PageServer;
let strangers: PageServer;
let hub: HubProcess;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  const served: Record<string, string> = {};
  [pages, strangers] = await Promise.all([servePages(served), servePages(served)]);
  hub = await startHub({ args: ["--allow-origin", pages.origin] });
  served["/"] = shopPage(hub.url);
  browser = await openChromium();
  tab = await browser.open(pages.url("/"));
  await connected(tab);
  await offered(tab, callerOf(hub.url, await hub.token()));
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await Promise.all([pages.close(), strangers.close()]);
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly ended: Promise<Ended>;
  /** Resolves once this text was written to stdout or stderr. */
  wrote(text: string): Promise<unknown>;
  type(text: string): void;
  signal(name: NodeJS.Signals): void;
}

/** Starts `pagewire` in a process of its own, with the hub's state directory. */
async function start(...args: readonly string[]): Promise<Started> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PAGEWIRE_HOME: hub.home };
  const owned = await spawnOwned(process.execPath, [main, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  let err = "";
  owned.child.stdout?.on("data", (text: string) => (out += text));
  owned.child.stderr?.on("data", (text: string) => (err += text));
  return {
    ended: owned.closed.then(({ code }) => ({ code, out, err })),
    wrote: (text) =>
      waitUntil(
        async () => (out + err).includes(text),
        () => `It did not write ${text}, but:\n${out}${err}`,
      ),
    type: (text) => void owned.child.stdin?.end(text),
    signal: (name) => owned.signal(name),
  };
}

async function run(...args: readonly string[]): Promise<Ended> {
  return (await start(...args)).ended;
}

test("the open tab and its tools are listed", async () => {
  const tabId = await tabIdOf(tab);
  const tabs = await run("tabs");
  expect([tabs.code, tabs.out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`\\* +${tabId} +shop +connected +\\d+ +Shop ${pages.origin}`)),
  ]);
  const tools = await run("tools", "--tab", tabId);
  expect([tools.code, tools.out]).toEqual([0, expect.stringContaining("echo {tag: string, ms?: number}")]);
  const offer = JSON.parse((await run("tools", "--json")).out) as { tools: { name: string }[] };
  expect(offer.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "steps", "list_browser_tabs"]));
});

test("a call shows its progress beside its result, and the whole outcome for programs", async () => {
  const call = await run("call", "steps", '{"tag":"shown"}');
  expect(call).toEqual({
    code: 0,
    out: expect.stringContaining('"tag":"shown"') as string,
    err: expect.stringContaining("1/3 shown 1\n") as string,
  });
  expect(call.err).toContain('info: {"tag":"shown","step":3}');
  const { code, out } = await run("call", "echo", '{"tag":"json"}', "--json");
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { outcome: "ok", ran: "yes", tabId: await tabIdOf(tab), result: { structuredContent: { tag: "json" } } },
  ]);
});

test("arguments are read from stdin", async () => {
  const call = await start("call", "echo", "-");
  call.type('{"tag":"piped"}');
  expect(await call.ended).toMatchObject({ code: 0, out: expect.stringContaining("piped") as string });
});

test("each kind of failure has its exit code", async () => {
  expect(await run("call", "fail", '{"tag":"top"}')).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("The shelf top is empty.") as string,
  });
  expect(await run("call", "echo", '{"tug":1}')).toMatchObject({
    code: 2,
    err: expect.stringContaining("tag") as string,
  });
  expect(await run("call", "ecko", "{}")).toMatchObject({ code: 5, err: expect.stringContaining("echo") as string });
  expect(await run("call", "wait", '{"tag":"late","ms":5000}', "--timeout", "0.1")).toMatchObject({ code: 8 });
});

test("Ctrl-C cancels the tool in the page", async () => {
  const call = await start("call", "never", '{"tag":"interrupted"}');
  await started(tab, "interrupted");
  call.signal("SIGINT");
  expect(await call.ended).toMatchObject({ code: 130, err: expect.stringContaining("Cancelled: ") as string });
  await tab.waitFor("localStorage.getItem('aborted:interrupted') === '1'");
});

test("a second Ctrl-C does not wait for a silent hub", async () => {
  const call = await start("call", "never", '{"tag":"twice"}');
  await started(tab, "twice");
  await hub.kill("SIGSTOP");
  call.signal("SIGINT");
  await call.wrote("Cancelling.");
  call.signal("SIGINT");
  expect(await call.ended).toMatchObject({ code: 130, out: "" });
  await hub.kill("SIGCONT");
  await tab.waitFor("localStorage.getItem('aborted:twice') === '1'");
});

test("a rotated token disconnects agents that used the old one, and the commands keep working", async () => {
  const watching = await start("watch");
  await watching.wrote("Watching.");
  expect(await run("call", "echo", '{"tag":"watched"}')).toMatchObject({ code: 0 });
  await watching.wrote("< echo ok");
  const { out: before } = await run("token", "show");
  expect(await run("token", "rotate")).toMatchObject({ code: 0 });
  expect(await watching.ended).toMatchObject({
    code: 4,
    err: expect.stringContaining("did not prove that it is the hub of this token") as string,
  });
  expect((await run("token", "show")).out).not.toBe(before);
  expect(await run("call", "echo", '{"tag":"after"}')).toMatchObject({ code: 0 });
});

test("a call with a key survives a killed and restarted hub, and runs once", async () => {
  const call = await start("call", "hold", '{"tag":"survivor"}', "--key", "survivor");
  await started(tab, "survivor");
  await hub.kill();
  await call.wrote("Trying again in");
  await hub.restart();
  await connected(tab);
  await tab.evaluate("finish()");
  expect(await call.ended).toMatchObject({ code: 0, out: expect.stringContaining("survivor") as string });
  expect(await countsOf(tab, "survivor")).toEqual({ ran: 1, aborted: 0 });
});

test("a call without a key reports honestly that its outcome is unknown", async () => {
  const call = await start("call", "hold", '{"tag":"unknown"}');
  await started(tab, "unknown");
  await hub.kill();
  expect(await call.ended).toMatchObject({
    code: 7,
    err: expect.stringMatching(/^Outcome unknown: .*Look before you try again\.\n$/) as string,
  });
  expect(await run("tabs", "--hub", hub.url)).toMatchObject({
    code: 3,
    err: expect.stringContaining("Start it with: npx pagewire") as string,
  });
  await hub.restart();
  await connected(tab);
});

test("a page that was refused is shown with its command, and allowing it lets it in while both run", async () => {
  const { origin } = strangers;
  const stranger = await browser.open(strangers.url("/"));
  expect(await stranger.waitFor("pagewire.state.command")).toContain(`pagewire allow ${origin}`);
  expect(hub.output()).toContain(`pagewire allow ${origin}`);
  expect(await run("doctor")).toMatchObject({
    code: 0,
    out: expect.stringContaining(`pagewire allow ${origin}`) as string,
  });
  expect(await run("allow", origin)).toMatchObject({ code: 0 });
  await connected(stranger);
  expect(await run("call", "echo", '{"tag":"let-in"}', "--tab", await tabIdOf(stranger))).toMatchObject({ code: 0 });
  expect(await run("allow", "--remove", origin)).toMatchObject({ code: 0 });
  await stranger.waitFor("pagewire.state.status === 'refused'");
  await stranger.close();
});

/** The script that `npm start` runs after the build: a build here would change dist/ under the other tests. */
const startedByNpm = fileURLToPath(new URL("../../scripts/lib/run-hub.mjs", import.meta.url));

test.each([
  {
    title: "gives the address of a terminal",
    args: ["--no-demo"],
    code: 0,
    said: /^http:\/\/127\.0\.0\.1:\d+\/terminal#code=[\w-]{43}\n$/,
  },
  {
    title: "says that a hub for others has none",
    args: ["--no-demo", "--public-host", "hub.example.com"],
    code: 1,
    said: /runs without terminals/,
  },
])("after npm start, npx pagewire terminal $title", async ({ args, code, said }) => {
  const plain = await startHub({ command: startedByNpm, args });
  try {
    const env = { ...process.env, PAGEWIRE_HOME: plain.home, PAGEWIRE_URL: "", PAGEWIRE_SHELL_KEY: "" };
    const asked = await spawnOwned(process.execPath, [main, "terminal", "--print"], { env });
    expect([(await asked.closed).code, asked.output()]).toEqual([code, expect.stringMatching(said)]);
  } finally {
    await plain.close();
  }
});
