import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createHub, signAgentToken } from "../../hub/index.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const chrome = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";
const firefox = "moz-extension://3e7c6a54-0b4b-4a0e-9a0a-111111111111";

async function startHub() {
  const one = createTestIo({ home: cli.home });
  const code = one.run("hub", "--port", "0", "--no-demo", "--no-code", "--no-model");
  await Promise.race([one.wrote("Ctrl-C stops it."), code]);
  return {
    url: cli.state.runningHub()?.url ?? "",
    async stop() {
      await one.interrupt();
      return code;
    },
  };
}

/** Runs a command of its own in the same state directory. */
async function run(args: readonly string[], options: Parameters<typeof createTestIo>[0] = {}) {
  const one = createTestIo({ home: cli.home, ...options });
  const code = await one.run(...args);
  return { code, out: one.out(), err: one.err(), shown: one.shown };
}

/** Pairs a browser by a line as the command prints it; resolves with the hub's answer. */
function pair(line: string, name: string, origin = chrome): Promise<Record<string, unknown>> {
  const [address = "", code] = line.trim().split("#");
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${address.replace("http", "ws")}/page`, { origin });
    socket.on("open", () => socket.send(JSON.stringify({ type: "pair", code, name })));
    socket.on("message", (data: Buffer) => resolve(JSON.parse(data.toString()) as Record<string, unknown>));
    socket.on("error", reject);
  });
}

test("`extension` prints how to load the extension, and a line that pairs one browser, once", async () => {
  const hub = await startHub();
  const { code, out, err } = await run(["extension"]);
  expect([code, err]).toEqual([0, ""]);
  for (const words of [
    "chrome://extensions",
    "/dist/extension/chrome\n",
    "/dist/extension/firefox/manifest.json",
    ".zip",
  ])
    expect(out).toContain(words);
  const line = out.trimEnd().split("\n").at(-1) ?? "";
  expect(line).toMatch(new RegExp(`^ {3}${hub.url}#[\\w-]{43}$`));
  expect(await pair(line, "Chrome")).toMatchObject({ type: "paired", name: "Chrome" });
  expect(await pair(line, "Chrome")).toMatchObject({ type: "refused", code: "code-invalid" });
  expect(out).not.toContain(cli.state.shellKey());
  expect(await hub.stop()).toBe(0);
});

test("--code prints the line only, --copy copies it, and --json has it with the places", async () => {
  const hub = await startHub();
  expect((await run(["extension", "--code"])).out).toMatch(new RegExp(`^${hub.url}#[\\w-]{43}\n$`));
  const copied = await run(["extension", "--code", "--copy"], { isTerminal: true });
  const sequence = Buffer.from(copied.shown.join("").slice(7, -1), "base64").toString();
  expect([sequence, copied.err]).toEqual([copied.out.trim(), "The line is in the clipboard.\n"]);
  expect((await run(["extension", "--code", "--copy"])).err).toContain("Copy the line yourself.");
  const {
    line,
    expiresAt,
    chrome: folder,
  } = JSON.parse((await run(["extension", "--json"])).out) as Record<string, string>;
  expect([line?.startsWith(`${hub.url}#`), folder?.endsWith("/dist/extension/chrome")]).toEqual([true, true]);
  expect(Date.parse(expiresAt ?? "")).toBeGreaterThan(Date.now());
  expect((await run(["extension", "--json", "--code"])).code).toBe(2);
  await hub.stop();
});

test("`browsers` lists paired browsers, and removes one by its name or its id", async () => {
  const hub = await startHub();
  expect((await run(["browsers"])).out).toBe("No browser is paired. Pair yours with: npx pagewire extension\n");
  for (const origin of [chrome, firefox, chrome])
    await pair((await run(["extension", "--code"])).out, "Ann's \u202ebrowser", origin);
  const { out } = await run(["browsers"]);
  const [head = "", ...lines] = out.trimEnd().split("\n");
  expect(head).toMatch(/^NAME +ID +EXTENSION +PAIRED +SEEN +ENDS$/);
  expect(lines.map((line) => /^(Ann's browser(?: \d)?) +[\w-]{16} +(\w+) +.* never$/.exec(line)?.slice(1))).toEqual([
    ["Ann's browser", "Chromium"],
    ["Ann's browser 2", "Firefox"],
    ["Ann's browser 3", "Chromium"],
  ]);
  expect((await run(["browsers", "remove", "Ann's browser 2"])).out).toContain("Removed Ann's browser 2.");
  const { browsers } = JSON.parse((await run(["browsers", "--json"])).out) as {
    browsers: { id: string; name: string }[];
  };
  expect(browsers.map(({ name }) => name)).toEqual(["Ann's browser", "Ann's browser 3"]);
  expect((await run(["browsers", "remove", browsers[1]?.id ?? ""])).code).toBe(0);
  const unknown = await run(["browsers", "remove", "Edge"]);
  expect([unknown.code, unknown.err]).toEqual([
    1,
    `Error: No browser is paired as "Edge". There are: "Ann's browser".\n`,
  ]);
  expect((await run(["browsers", "remove"])).code).toBe(2);
  await hub.stop();
});

test("`tabs` names the browser of a tab that comes through an extension", async () => {
  const hub = await startHub();
  const { token } = await pair((await run(["extension", "--code"])).out, "Ann's browser");
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/page`, { origin: chrome });
  const hello = { versions: [1], tab: "t", app: "news.example", title: "News", focused: true, running: [] };
  const say = () => socket.send(JSON.stringify({ type: "hello", token, origin: "https://news.example", ...hello }));
  await new Promise<void>((resolve) => socket.on("open", say).on("message", () => resolve()));
  expect((await run(["tabs"])).out).toMatch(
    /TOOLS +BROWSER +PAGE\n.* news\.example +connected +0 +Ann's browser +News/,
  );
  expect((await run(["browsers"])).out).toMatch(/Ann's browser .* now, 1 tab +never$/m);
  socket.close();
  await hub.stop();
});

test("at a hub without an owner the token for agents makes the code, and at one in jwt mode a user's", async () => {
  const plain = await startTestHub(cli);
  expect(await pair((await run(["extension", "--code"])).out, "Chrome")).toMatchObject({ type: "paired" });
  await plain.close();
  const secret = "a-secret-of-at-least-32-characters";
  const signed = await createHub({ port: 0, jwt: { secret } });
  const environment = { PAGEWIRE_URL: signed.url, PAGEWIRE_TOKEN: await signAgentToken({ secret, subject: "ann" }) };
  expect(await pair((await run(["extension", "--code"], { environment })).out, "Chrome")).toMatchObject({
    type: "paired",
    expiresAt: expect.any(Number),
  });
  expect((await run(["browsers"], { environment })).out).toMatch(/\nChrome .* 20\d\d-\d\d-\d\d \d\d:\d\d$/m);
  const nobody = await run(["extension", "--code"], { environment: { PAGEWIRE_URL: signed.url } });
  expect([nobody.code, nobody.out]).toEqual([3, ""]);
  await signed.close();
});

test("the origin of an extension is not allowed: the command and the hub say how it is paired", async () => {
  const refused = await run(["allow", chrome]);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("Pair it with: npx pagewire extension");
  expect(cli.state.allowedOrigins()).toEqual([]);
  expect((await run(["allow", "--remove", chrome])).code).toBe(0);
});
