// Alice and Mallory have terminals at one hub. Mallory wants to see Alice's, type in them and end them, and to make Alice's
// tab act for programs that do not run in it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { signTerminalToken } from "pagewire/hub";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { askTerminals, delegate, openTerminal } from "../../../src/hub/doors/delegate/delegate.test-helper.ts";
import type { TestTerminal } from "../../../src/hub/doors/delegate/delegate.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import type { TestView } from "../../../src/terminal/test-view.test-helper.ts";
import { waitUntil } from "../support/wait.ts";
import { besiegeHub, issuer, secret } from "./besieged-hub.test-helper.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";
import {
  enterView,
  listedIn,
  makeShellHome,
  openView,
  outputOf,
  say,
  showTerminal,
  verdictOn,
} from "./terminal-hub.test-helper.ts";

const evil = "https://evil.example";
const home = makeShellHome();
const size = { columns: 80, rows: 24 };

let besieged: BesiegedHub;
let url: string;
let alice: TestView;
let mallory: TestView;

beforeAll(async () => {
  besieged = await besiegeHub(["--terminal"], home.env);
  ({ url } = besieged.hub);
});

beforeEach(async () => {
  alice = await showTerminal(url, { token: await tokenOf("alice") });
  mallory = await showTerminal(url, { token: await tokenOf("mallory") });
});

afterEach(async () => {
  await expectUnharmed();
  for (const view of [alice, mallory]) await endTerminals(view);
  closeSockets();
});

afterAll(async () => {
  await besieged?.close();
  home.close();
});

async function expectUnharmed(): Promise<void> {
  expect(await outputOf(alice, home, "echo $PAGEWIRE_TERMINAL")).toBe(`${alice.opened.terminal}\n`);
  expect(mallory.text).not.toContain(alice.opened.terminal);
}

/** Ends all terminals of a view's user. */
async function endTerminals(view: TestView): Promise<void> {
  for (const { id } of listedIn(view)) view.send({ type: "end", terminal: id });
  await waitUntil(
    async () => listedIn(view).length === 0,
    () => "A terminal was not ended.",
  );
}

function tokenOf(subject: string, origin?: string): Promise<string> {
  return signTerminalToken({ secret, issuer, subject, ...(origin === undefined ? {} : { origin }) });
}

/** The terminal's id and token, from the environment of its programs. */
async function programIn(view: TestView): Promise<TestTerminal> {
  const output = await outputOf(view, home, 'echo "$PAGEWIRE_TERMINAL $PAGEWIRE_TERMINAL_TOKEN"');
  const [id = "", token = ""] = output.trim().split(" ");
  return { id, token };
}

test("in jwt mode only a token for terminals, in the pages that it was signed for, lets a view in", async () => {
  const tally = startTally(
    "terminals",
    "tokens of jwt mode that are not for terminals, or for other pages",
    "closed by name",
  );
  const program = await openTerminal(await besieged.door("mallory"));
  const own = await tokenOf("mallory");
  const attempts: readonly (readonly [name: string, token: string, origin?: string | null])[] = [
    ["an agent's", await besieged.agentToken("mallory")],
    ["a page's", await besieged.pageToken("mallory")],
    ["a program's", program.token],
    ["the secret", secret],
    ["another secret's", await signTerminalToken({ secret: `${secret}!`, issuer, subject: "alice" })],
    ["another issuer's", await signTerminalToken({ secret, issuer: evil, subject: "alice" })],
    ["for pages of another origin", await tokenOf("mallory", evil)],
    ["for the hub's pages, in others", own, shop],
    ["for the hub's pages, in none", own, null],
    ["for the hub's pages, in a frame", own, "null"],
    ["changed", own.replace(/\.[^.]+\./, `.${btoa('{"sub":"alice","aud":"pagewire:terminal"}')}.`)],
  ];
  for (const [name, token, origin] of attempts) {
    const verdict = await verdictOn(await openView(url, origin), { token });
    tally.add(name, /^(token-invalid|origin-not-allowed)$/.test(verdict) ? "closed by name" : verdict);
  }
  tally.close();
});

test("another tenant's terminal is not shown, named or ended, whatever tmux would make of its id", async () => {
  const { terminal } = alice.opened;
  const pwned = join(home.folder, "pwned");
  const run = `touch\${IFS}${pwned}`;
  const ids = [
    ...[
      terminal,
      terminal.toUpperCase(),
      `=${terminal}`,
      `${terminal}:`,
      `${terminal}:0.0`,
      `${terminal.slice(0, -1)}*`,
    ],
    ...["*", "?", "%0", "@0", "$0", "{last}", "!", "-t", "-d", ":", ".", "..", `../${terminal}`, `./${terminal}.json`],
    ...[
      `$(${run})`,
      `\`${run}\``,
      `;${run};`,
      `#(${run})`,
      "#{pid}",
      ";kill-server",
      "'\"\\",
      "__proto__",
      "constructor",
    ],
  ];
  const told = alice.frames.length;
  const tally = startTally(
    "terminals",
    "another tenant's terminal, and ids that tmux or a shell would read",
    "terminal-not-found",
  );
  for (const id of ids) {
    for (const type of ["open", "rename", "end"]) {
      say(mallory, { type, terminal: id, name: "mine", ...size });
      tally.add(`${type} ${id}`, (await mallory.next("failed")).code);
    }
    mallory.type("echo st''olen\r");
  }
  await outputOf(alice, home, "true");
  expect(existsSync(pwned)).toBe(false);
  expect(alice.frames.slice(told).filter(({ type }) => type !== "output")).toEqual([]);
  expect(alice.text).not.toContain("stolen");
  tally.close();
});

test("a terminal is not shown, or kept from its user, by asking for it at the same moment", async () => {
  const { terminal } = alice.opened;
  const back = await enterView(url, { token: await tokenOf("alice") });
  const tally = startTally(
    "terminals",
    "another tenant's terminal, asked for while its user opens it",
    "terminal-not-found",
  );
  const shown = mallory.next("opened").then(() => "shown");
  const kept = back.next("failed").then(() => "kept from its user");
  for (let round = 0; round < 20; round++) {
    const order = round % 2 === 0 ? [mallory, back] : [back, mallory];
    for (const view of order) view.send({ type: "open", terminal, ...size });
    tally.add(`mallory, ${round}`, await Promise.race([mallory.next("failed").then(({ code }) => code), shown]));
    tally.add(
      `alice, ${round}`,
      await Promise.race([back.next("opened").then((opened) => opened.terminal), kept]),
      terminal,
    );
  }
  tally.close();
});

test("a terminal cannot act in another tenant's tab", async () => {
  const page = await connectPage(url, { token: await besieged.pageToken("alice") });
  const own = await connectPage(url, { token: await besieged.pageToken("mallory"), origin: evil, tab: "tab-2" });
  const view = await enterView(url, { token: await tokenOf("mallory", shop) }, shop);
  view.send({ type: "open", ...size });
  await view.next("opened");
  const tally = startTally(
    "terminals",
    "another's tab, or one of another origin, said to be in front",
    "tab-not-found",
  );
  for (const tab of [page.tabId, own.tabId, "tab-1", "__proto__", "*"]) {
    view.send({ type: "here", tab, focused: true });
    tally.add(tab, (await view.next("failed")).code);
  }
  const answer = await delegate(await besieged.door("mallory"), await programIn(view));
  tally.add("a call", answer.json["code"], "browser-missing");
  expect(page.calls).toEqual([]);
  tally.close();
});

test("DL6, DL9: a tab acts for the programs of the terminal that it shows alone, and for nobody once that has ended", async () => {
  const door = await besieged.door("alice");
  const page = await connectPage(url, { token: await besieged.pageToken("alice") });
  const [program, stranger] = [await programIn(alice), await programIn(mallory)];
  await askTerminals(door, `POST /api/terminals/${program.id}/attach`, { tab: page.tabId });
  const second = await showTerminal(url, { token: await tokenOf("alice") });
  const other = await programIn(second);
  const tally = startTally(
    "terminals",
    "actions of another's tab, by programs with another's, no or an ended terminal",
    "401 or 403",
  );
  for (const path of ["", "/stream"]) {
    for (const { id, token } of [stranger, other]) {
      for (const browser_id of [program.id, page.tabId, "tab-1", `${id}0`, "__proto__"]) {
        const answer = await delegate(door, { id, token }, { path, fields: { browser_id } });
        tally.add(`${browser_id} ${path}`, answer.status, 403);
      }
    }
  }
  for (const Origin of [url, shop, evil, "null"])
    for (const path of ["", "/stream", "/actions"])
      tally.add(`${Origin} ${path}`, (await delegate(door, program, { headers: { Origin }, path })).status, 403);
  second.type("exit\r");
  await second.next("exited");
  const tokens = [await tokenOf("alice"), door.token, await besieged.pageToken("alice"), secret.replaceAll(/\W/g, "-")];
  const forged = [program.id, `${program.token}x`, program.token.slice(0, -1), "pagewire-terminal.__proto__", "x"];
  for (const token of [other.token, ...tokens, ...forged]) {
    for (const path of ["", "/stream", "/actions"]) {
      const { status } = await delegate(door, { id: program.id, token }, { path });
      tally.add(`${token.slice(0, 30)} ${path}`, status, 401);
    }
  }
  expect(page.calls).toEqual([]);
  expect((await delegate(door, program)).status).toBe(200);
  tally.close();
});
