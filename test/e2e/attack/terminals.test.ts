// Clients that want a shell without being let in, and clients that are let in and send frames that no view sends.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { agentHelloOf, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { openTerminal } from "../../../src/hub/doors/delegate/delegate.test-helper.ts";
import {
  errorOf,
  exchange,
  mintCode as mintAgentsCode,
  signIn,
} from "../../../src/hub/test-support/own.test-helper.ts";
import { closeSockets, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import type { TestView } from "../../../src/terminal/test-view.test-helper.ts";
import { mintCode } from "../terminal.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";
import {
  closedAs,
  enterView,
  listedIn,
  makeShellHome,
  openView,
  outputOf,
  say,
  showTerminal,
  verdictOn,
} from "./terminal-hub.test-helper.ts";
import type { Hello } from "./terminal-hub.test-helper.ts";

const evil = "https://evil.example";
/** Foreign tokens in the hub's own environment. */
const stale = {
  PAGEWIRE_TOKEN: "stale-token-of-an-agent",
  PAGEWIRE_TERMINAL_TOKEN: "stale-token-of-a-terminal",
  KLANGK_WORKSPACE_TOKEN: "stale-token-of-a-workspace",
};

const home = makeShellHome();
let hub: LocalHub;
let url: string;
/** The key that mints codes. */
let key: string;
/** The token of a view in the hub's own page, and of one in the shop's. */
let token: string;
let shopsToken: string;

beforeAll(async () => {
  hub = await startLocalHub(["--no-demo", "--terminal"], { env: { ...home.env, ...stale } });
  ({ url } = hub);
  key = readFileSync(join(hub.home, "shell-key"), "utf8").trim();
  [token, shopsToken] = [await signInView(url), await signInView(shop)];
});

afterEach(async () => {
  // Fails if the view is no longer let in.
  await enterView(url, { token });
  closeSockets();
});

afterAll(async () => {
  await hub?.close();
  home.close();
});

/** Exchanges a code for the token of a view in a page of this origin. */
async function signInView(origin: string): Promise<string> {
  const view = await enterView(url, { code: await mintCode(hub, origin) }, origin);
  return view.frames.flatMap((frame) => (frame.type === "welcome" ? (frame.token ?? "") : ""))[0] ?? "";
}

test("SH3: a code or token that is none, used, of another page or of another kind lets no view in", async () => {
  const [used, own, forShop] = [await mintCode(hub), await mintCode(hub), await mintCode(hub, shop)];
  expect(await verdictOn(await openView(url), { code: used })).toBe("let in");
  const program = await openTerminal(hub);
  const tokens = [
    hub.token,
    key,
    await signIn(hub, hub.token),
    program.token,
    program.id,
    "pagewire-shell.x",
    "",
    shopsToken,
  ];
  const alike = [
    `${token}x`,
    token.slice(0, -1),
    token.toUpperCase(),
    ` ${token}`,
    `${token}.1.x`,
    token.split(".")[1],
  ];
  const attempts: readonly (readonly [name: string, hello: Hello, origin?: string | null])[] = [
    ["nothing", {}],
    ["an empty code", { code: "" }],
    ["a used code", { code: used }],
    ["a used code, and a bad token", { code: used, token: "x" }],
    ["an agent's code", { code: await mintAgentsCode(hub, hub.token) }],
    ["a code for another page", { code: forShop }],
    ["the code that was spent so", { code: forShop }, shop],
    ["the own page's code", { code: own }, shop],
    ["the code that was spent so, at home", { code: own }],
    ["a code with a key that is none", { code: await mintCode(hub), key: "x" }],
    ["the key as a code", { code: key }],
    ["the token as a code", { code: token }],
    ...[...tokens, ...alike].map((one) => [`the token ${one}`, { token: one }] as const),
    ["the own page's token in another", { token }, shop],
    ...[7, null, ["x"], { toString: "x" }, "x".repeat(8193)].map(
      (one) => [`a token and a code ${JSON.stringify(one).slice(0, 20)}`, { token: one, code: one }] as const,
    ),
    ...[0, 2, -1, 1e308, "1", null].map((version) => [`version ${version}`, { token, version }] as const),
    ...[evil, "null", null, `${url}0`, `${shop}.evil.example`, url.replace("http:", "https:")].map(
      (origin) => [`the origin ${origin}`, { token, code: used }, origin] as const,
    ),
  ];
  const tally = startTally("terminals", "views with no, a wrong, a used or another's code or token", "closed by name");
  const names =
    /^(token-(required|invalid|expired)|frame-(malformed|too-large)|version-unsupported|origin-not-allowed)$/;
  for (const [name, hello, origin] of attempts) {
    const verdict = await verdictOn(await openView(url, origin), hello);
    tally.add(name, names.test(verdict) ? "closed by name" : verdict);
  }
  tally.close();
});

test("SH3: what opens terminals opens nothing else, and a program's token no terminal", async () => {
  const [code, program] = [await mintCode(hub), await openTerminal(hub)];
  const expected = "401 or 403";
  const tally = startTally(
    "terminals",
    "a view's token, the shell key, a code, a program's token at other doors",
    expected,
  );
  const paths = ["GET /metrics", "GET /api/app", "POST /api/codes", "POST /api/sign-out", "POST /api/terminals"];
  const more = ["POST /api/call/list_browser_tabs", "POST /mcp", "POST /api/shell-codes", "POST /api/browser-delegate"];
  const own: Readonly<Record<string, string>> = { key: "POST /api/shell-codes", program: "POST /api/browser-delegate" };
  for (const [name, one] of Object.entries({ token, shopsToken, key, code, program: program.token })) {
    for (const asked of [...paths, ...more].filter((each) => each !== own[name])) {
      const [method = "", path = ""] = asked.split(" ");
      for (const origin of [{}, { Origin: url }]) {
        const headers = { Authorization: `Bearer ${one}`, "Content-Type": "application/json", ...origin };
        const { status } = await fetch(url + path, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) });
        tally.add(`${name}, ${asked}`, status === 401 || status === 403 ? expected : status);
      }
    }
    const agent = await openAgent(url);
    agent.send(agentHelloOf({ token: one }));
    tally.add(`${name}, /agent`, await agent.verdict(), "token-invalid");
    tally.add(`${name}, a sign-in`, errorOf(await exchange(hub, one)), [401, "code-invalid"]);
  }
  tally.close();
});

/** Frames that no view sends, in addition to those that are too early. */
function odd(terminal: string): readonly object[] {
  const sizes = [0, -1, 1.5, 1001, 1e9, 2 ** 53, "80", null, [80], {}, true];
  const offsets = [-1, 0.5, 2 ** 53, "0", null, [0]];
  const ids = ["", "a b", "\n", "é", "x".repeat(129), 7, null, [terminal], {}];
  return [
    ...sizes.flatMap((size) => [
      ...["open", "resize"].flatMap((type) => [
        { type, terminal, columns: size, rows: 24 },
        { type, terminal, columns: 80, rows: size },
      ]),
    ]),
    ...offsets.flatMap((at) => [
      { type: "seen", at },
      { type: "open", terminal, columns: 80, rows: 24, from: at },
    ]),
    ...ids.flatMap((id) => ["end", "rename"].map((type) => ({ type, terminal: id, name: "mine" }))),
    ...["x".repeat(129), 7, null, ["x"]].map((name) => ({ type: "rename", terminal, name })),
    ...["yes", 1, null].map((focused) => ({ type: "here", tab: "x", focused })),
  ];
}

test("a frame that is too early, or that no view sends, closes the view that sent it, and is not done", async () => {
  const shown = await showTerminal(url, { token });
  const { terminal } = shown.opened;
  const tally = startTally(
    "terminals",
    "frames before the hello, a second hello, numbers and ids out of bounds",
    "closed",
  );
  const add = async (view: TestView, frame: object, must: string) => {
    say(view, frame, "echo st''olen\r");
    const name = await closedAs(view);
    tally.add(JSON.stringify(frame), name === must ? "closed" : name);
  };
  const size = { columns: 80, rows: 24 };
  for (const type of ["open", "input", "resize", "here", "seen", "end", "rename", "sign-out", "heartbeat"])
    await add(
      await openView(url),
      { type, terminal, ...size, at: 0, focused: true, name: "mine", token },
      "hello-expected",
    );
  for (const hello of [{ token }, { token: shopsToken }, { code: await mintCode(hub) }, {}])
    await add(await enterView(url, { token }), { type: "hello", version: 1, ...hello }, "hello-expected");
  for (const frame of odd(terminal)) await add(await enterView(url, { token }), frame, "frame-malformed");
  expect(shown.frames.some(({ type }) => type === "exited")).toBe(false);
  shown.type("echo st''ill\r");
  expect(await shown.prints("still")).not.toContain("stolen");
  tally.close();
});

test("numbers that are absurd and possible do a shell no harm, and frames about no terminal nothing at all", async () => {
  const view = await showTerminal(url, { token });
  const { terminal, stream } = view.opened;
  const most = Number.MAX_SAFE_INTEGER;
  const storms: Readonly<Record<string, readonly object[]>> = {
    "the largest": [{ type: "resize", columns: 1000, rows: 1000 }],
    "the smallest": [{ type: "resize", columns: 1, rows: 1 }],
    "a thousand sizes": Array.from({ length: 1000 }, (_, at) => ({ type: "resize", columns: 1 + at, rows: 1000 - at })),
    "seen beyond the end": [{ type: "seen", at: most }],
    "seen backwards": [most, 0, 7, 0].map((at) => ({ type: "seen", at })),
    "from beyond the end": [{ type: "open", terminal, stream, columns: 80, rows: 24, from: most }],
    "from another stream": [{ type: "open", terminal, stream: "x", columns: 80, rows: 24, from: 7 }],
    "a tab that is none": [{ type: "here", tab: "__proto__", focused: true }],
    "an unknown frame": [{ type: "__proto__" }, { type: "exec", payload: "id" }],
  };
  const tally = startTally("terminals", "sizes, offsets and tabs that are absurd and possible", "the shell answers");
  for (const [name, frames] of Object.entries(storms)) {
    for (const frame of frames) say(view, frame);
    view.send({ type: "resize", columns: 80, rows: 24 });
    tally.add(name, await outputOf(view, home, "echo the shell answers"), "the shell answers\n");
  }
  const other = await enterView(url, { token });
  other.type("echo st''olen\r");
  other.send({ type: "seen", at: 7 });
  other.send({ type: "rename", terminal: "none", name: "x" });
  tally.add("input for no terminal", (await other.next("failed")).code, "terminal-not-found");
  expect(view.text).not.toContain("stolen");
  tally.close();
});

test("no shell finds the hub's token or key, another terminal's token, or what the hub's environment has", async () => {
  const [view, other] = [await showTerminal(url, { token }), await showTerminal(url, { token })];
  const theirs = (await outputOf(other, home, "echo $PAGEWIRE_TERMINAL_TOKEN")).trim();
  expect(theirs).toMatch(/^pagewire-terminal\./);
  const tally = startTally("terminals", "the hub's secrets and other terminals' in a shell's environment", "not there");
  const places = ["env", "set", "export -p", "tmux show-environment -g", "tmux show-environment", "ps -A -o args="];
  for (const place of places) {
    const output = await outputOf(view, home, place);
    const secrets = {
      ...stale,
      "the agents' token": hub.token,
      "the shell key": key,
      "another terminal's": theirs,
      token,
    };
    for (const [name, text] of Object.entries(secrets))
      tally.add(`${name}: ${place}`, output.includes(text) ? output : "not there");
  }
  tally.close();
});

test("a name is shown without commands of terminals, turned text or lines, whichever way it came", async () => {
  const view = await showTerminal(url, { token });
  const { terminal } = view.opened;
  const marks = ["\u001b]0;evil\u0007", "\u001b[2J", "\u001b]52;c;aGk=\u0007", "\u009b31m", "\u0000", "\b\b", "\r\n"];
  const unseen = ["\u202e", "\u2066", "\u200f", "\u2028", "\u200b", "\u{e0041}", "\ufeff", "\u00ad"];
  const tally = startTally(
    "terminals",
    "commands of terminals and unseen characters in a terminal's name",
    "shown without",
  );
  for (const mark of [...marks, ...unseen]) {
    const name = () => listedIn(view).find(({ id }) => id === terminal)?.name ?? "";
    view.send({ type: "rename", terminal, name: "between" });
    await expect.poll(name).toBe("between");
    view.send({ type: "rename", terminal, name: `a${mark}b` });
    await expect.poll(name).not.toBe("between");
    tally.add(JSON.stringify(mark), /^a[\x20-\x7e]*b$/.test(name()) ? "shown without" : name());
  }
  tally.close();
});
