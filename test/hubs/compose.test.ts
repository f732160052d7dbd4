// The services of deploy/compose.yaml: three hubs in jwt mode behind nginx with TLS, NATS with an account, PostgreSQL.
import { readFileSync } from "node:fs";
import { get, request } from "node:https";
import { signAgentToken, signPageToken } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnOwned } from "../e2e/support/processes.ts";
import { waitUntil } from "../e2e/support/wait.ts";
import { startCompose } from "./support/compose.ts";
import type { Composed } from "./support/compose.ts";
import { imageWords, repository } from "./support/deploy-files.ts";
import { openNodePage } from "./support/node-page.ts";
import type { NodePage } from "./support/node-page.ts";

let composed: Composed;
let token: string;
let ca: string;
let pages: readonly NodePage[];
const runs: string[] = [];
const origin = "https://shop.example";

beforeAll(async () => {
  composed = await startCompose();
  const { secret } = composed;
  ca = readFileSync(composed.certificate, "utf8");
  token = await signAgentToken({ secret, subject: "ann" });
  const pageToken = await signPageToken({ secret, subject: "ann", app: "shop", origin });
  const url = composed.url.replace("https:", "wss:");
  const onRun = (tag: string) => void runs.push(tag);
  pages = Array.from({ length: 6 }, (_, at) =>
    openNodePage({ tab: `tab-${at}`, url, origin, onRun, token: pageToken, ca }),
  );
  await allConnected();
});

afterAll(async () => {
  for (const page of pages ?? []) page.close();
  await composed?.close();
});

const count = async (hub: string, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(await composed.metrics(hub))?.[1]);
const counts = (name: string, hubs = composed.hubs) => Promise.all(hubs.map((hub) => count(hub, name)));

/** Every page is at one of the hubs, and known to all. */
async function allConnected(hubs = composed.hubs): Promise<void> {
  const look = async () => {
    const tabs = (await counts("pagewire_tabs", hubs)).reduce((sum, each) => sum + each, 0);
    return pages.every(({ isConnected }) => isConnected) && tabs === pages.length;
  };
  await waitUntil(look, () => `Not every page is connected:\n${["proxy", ...hubs].map(composed.output).join("\n")}`);
}

/** A hub's log says this of another, by its name. */
const logged = (hub: string, event: string, name: string) =>
  waitUntil(
    async () => new RegExp(`"event":"${event}".*"name":"${name}"`).test(composed.output(hub)),
    () => `${hub} did not log ${event} of ${name}:\n${composed.output(hub)}`,
  );

/** `pagewire`, as a person elsewhere types it. */
async function pagewire(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const owned = await spawnOwned(process.execPath, [`${repository}dist/cli/main.js`, ...args], {
    env: { PAGEWIRE_URL: composed.url, PAGEWIRE_TOKEN: token, NODE_EXTRA_CA_CERTS: composed.certificate },
  });
  const { code } = await owned.closed;
  return { code, text: owned.output() };
}

function post(path: string, body: object): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const sent = request(`${composed.url}${path}`, { ca, method: "POST", headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

/** Calls the tool in every page, by requests that the proxy spreads over the hubs. */
async function callAll(tag: string): Promise<void> {
  for (const { tab, tabId } of pages) {
    const { code, text } = await pagewire(
      "call",
      "work",
      `{"tag":"${tag}-${tab}","work":1}`,
      "--tab",
      tabId ?? "",
      "--json",
    );
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('"outcome":"ok"') as string });
  }
  expect(runs.filter((each) => each.startsWith(`${tag}-`))).toHaveLength(pages.length);
}

test("pages and agents reach each other through the proxy's TLS, at whichever hubs they are", async () => {
  for (const tabs of await counts("pagewire_tabs")) expect(tabs).toBeGreaterThan(0);
  expect(await counts("pagewire_other_hubs")).toEqual([2, 2, 2]);
  expect(await counts("pagewire_bus_up")).toEqual([1, 1, 1]);
  for (const name of ["hub-2", "hub-3"]) await logged("hub-1", "hub-joined", name);
  await callAll("first");
  expect((await pagewire("tabs", "--json")).text.match(/"state":"connected"/g)).toHaveLength(pages.length);
});

test("the image's own check finds a hub well, and one that is not there ill", async () => {
  const [program = "", ...args] = imageWords("CMD");
  expect(program).toBe("node");
  const check = async (port: string) => {
    const owned = await spawnOwned(
      process.execPath,
      args.map((arg) => arg.replace("7337", port)),
    );
    return (await owned.closed).code;
  };
  const [hub = ""] = composed.hubs;
  expect(await check(String(composed.portOf(hub)))).toBe(0);
  expect(await check("1")).toBe(1);
});

test("an answer that streams comes through the proxy as it is written", async () => {
  const headers = { Authorization: `Bearer ${token}` };
  const chunks: string[] = [];
  const stream = get(`${composed.url}/api/calls/stream`, { ca, headers, agent: false }, (response) => {
    response.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
  });
  await waitUntil(
    async () => chunks.join("").includes("\n\n"),
    () => "Nothing came.",
  );
  stream.destroy();
});

test("plain http is sent to https, and another name is refused", async () => {
  const redirected = await fetch(`${composed.httpUrl}/console`, { redirect: "manual" });
  expect([redirected.status, redirected.headers.get("location")]).toEqual([308, "https://127.0.0.1/console"]);
  const status = await new Promise((resolve, reject) => {
    const headers = { Host: "evil.example" };
    get(`${composed.url}/`, { ca, agent: false, headers, servername: "" }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
  expect(status).toBe(421);
});

test("a stranger whose requests every hub refuses takes no hub away from others", async () => {
  // nginx takes such headers, and a hub closes the connection without an answer.
  const headers = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`X-Long-${at}`, "x".repeat(4000)]));
  const refused = () =>
    new Promise((resolve) => {
      get(`${composed.url}/`, { ca, agent: false, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", resolve);
    });
  for (let times = 0; times < 6; times++) {
    expect([431, 502]).toContain(await refused());
    expect((await post("/api/call/work", { tag: `beside-${times}`, work: 1 })).status).toBe(200);
  }
});

test("a hub that is stopped for an upgrade takes nobody's calls with it, and is one of three again", async () => {
  const [hub = "", ...others] = composed.hubs;
  let isOver = false;
  const answers: string[] = [];
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let count = 0; !isOver; count++) {
      const { status, text } = await post("/api/call/work", { tag: `meanwhile-${caller}-${count}`, work: 20 });
      answers.push(`${status} ${status === 200 ? "" : text}`);
    }
  });
  await composed.stop(hub);
  await allConnected(others);
  isOver = true;
  await Promise.all(callers);
  expect(answers.filter((answer) => answer !== "200 ")).toEqual([]);
  await callAll("one-less");
  await composed.start(hub);
  await waitUntil(
    async () => (await counts("pagewire_other_hubs")).every((number) => number === 2),
    () => "The hub did not find the others.",
  );
  await callAll("again");
});

test("a POST that was sent is not sent to another hub when its own dies: it runs once", async () => {
  const begun = post("/api/call/work", { tag: "once", work: 60_000 });
  begun.catch(() => {});
  await waitUntil(
    async () => runs.includes("once"),
    () => "The call did not begin.",
  );
  const calls = await counts("pagewire_calls_in_flight");
  const hub = composed.hubs[calls.indexOf(Math.max(...calls))] ?? "";
  await composed.stop(hub, "SIGKILL");
  expect((await begun).status).toBe(502);
  await allConnected(composed.hubs.filter((each) => each !== hub));
  await callAll("after-kill");
  expect(runs.filter((tag) => tag === "once")).toHaveLength(1);
  const [witness = ""] = composed.hubs.filter((each) => each !== hub);
  await logged(witness, "hub-gone", hub);
});
