// Programs that were written for the other project's bridge, in a terminal that was started with --klangk, through all changes
// of its tab, git's helper with a device flow, and fetches through the hub's own page.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createCallTab } from "../e2e/support/delegate.ts";
import type { CallTab } from "../e2e/support/delegate.ts";
import { dialogIn, noDialogIn } from "../e2e/support/dialog.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { PageServer } from "../e2e/support/page-server.ts";
import type { ShownTerminal } from "../e2e/support/shown-terminal.ts";
import { createTerminalWorld } from "../e2e/terminal.test-helper.ts";
import type { TerminalWorld } from "../e2e/terminal.test-helper.ts";

let world: TerminalWorld;
let github: PageServer;
let listed: PageServer;

/** How far the person at GitHub is. */
let sign: "waits" | "allows" | "refuses" = "waits";
const cors = { "access-control-allow-origin": "*" };

beforeAll(async () => {
  listed = await servePages({ "/orders": { body: '{"orders":3}', type: "application/json", headers: cors } });
  github = await servePages(
    {
      "/login/device/code": {
        body: JSON.stringify({
          ...{ device_code: "d-1", user_code: "WDJB-MJHT", verification_uri: "https://github.com/login/device" },
          ...{ interval: 0, expires_in: 900 },
        }),
        type: "application/json",
      },
    },
    {
      listeners: {
        "/login/oauth/access_token": (_, response) => {
          const answers = {
            waits: { error: "authorization_pending" },
            allows: { access_token: "gho_given" },
            refuses: { error: "access_denied" },
          };
          response.setHeader("content-type", "application/json").end(JSON.stringify(answers[sign]));
        },
      },
    },
  );
  world = await createTerminalWorld({ hub: ["--klangk", `--terminal-fetch=${listed.origin}`] });
  await mkdir(join(world.home, "tools"));
  const file = join(world.home, "tools", "git-credential-bridge");
  await writeFile(file, helper);
  await chmod(file, 0o700);
});
afterEach(async () => {
  sign = "waits";
  for (const tab of await world.browser.tabs()) await tab.close();
});
afterAll(async () => {
  await world?.close();
  await github?.close();
  await listed?.close();
});

/** A helper of git's as the other project's is: the bridge's variables and commands, and GitHub's device flow. */
const helper = `#!/usr/bin/env python3
import json, os, subprocess, sys, time, urllib.error, urllib.request

def said(command):
    return subprocess.run([command], capture_output=True, text=True, timeout=60).stdout.strip()

def post(url, fields, headers={}):
    request = urllib.request.Request(url, json.dumps(fields).encode(), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=900) as response:
            return json.loads(response.read())
    except urllib.error.URLError as error:
        print(f"bridge: {error}", file=sys.stderr)
        return {}

def bridge(operation, **more):
    fields = {"action": "git_credential", "browser_id": said("klangk-browser-id"), "operation": operation, **given, **more}
    url = os.environ["KLANGKWS_BRIDGE_URL"] + "/api/v1/browser-delegate"
    answer = post(url, fields, {"Authorization": "Bearer " + said("klangk-workspace-token")})
    return json.loads(answer["result"]) if isinstance(answer.get("result"), str) else answer

given = dict(line.strip().split("=", 1) for line in sys.stdin if "=" in line)
given = {name: value for name, value in given.items() if "[" not in name}
if sys.argv[1] != "get":
    bridge(sys.argv[1])
    sys.exit(0)
known = bridge("peek")
if known.get("username"):
    print(f"username={known['username']}\\npassword={known['password']}")
    sys.exit(0)
github = os.environ["FAKE_GITHUB"]
code = post(github + "/login/device/code", {})
bridge("device_flow_show", user_code=code["user_code"], verification_uri=code["verification_uri"])
while True:
    answer = post(github + "/login/oauth/access_token", {})
    if answer.get("access_token"):
        bridge("device_flow_done")
        print(f"username=x-access-token\\npassword={answer['access_token']}")
        break
    if answer.get("error") != "authorization_pending":
        bridge("device_flow_error", error="Authorization denied.")
        sys.exit(1)
    time.sleep(0.2)
`;

const askGit = (host = "github.com") =>
  [
    `export FAKE_GITHUB=${github.origin} GIT_TERMINAL_PROMPT=0 PATH="$HOME/tools:$PATH"`,
    `printf 'protocol=https\\nhost=${host}\\n\\n' | git -c credential.helper= -c credential.helper=bridge credential fill`,
  ].join("\n");

const tabIdOf = ({ tab }: ShownTerminal): Promise<string> => tab.evaluate("pagewire.state.tabId");

async function takeFocus({ tab }: ShownTerminal): Promise<void> {
  await tab.activate();
  await tab.click("pagewire-terminal >>> .xterm-screen");
  await tab.waitFor("view.state.attachment === 'here'");
}

test("a program keeps its id through every attach, detach, reload and restart, and its calls land where the terminal is", async () => {
  const first = await world.openApp();
  const other = await world.openApp();
  const environment = await first.environment("");
  const id = environment["KLANGK_BROWSER_ID"] ?? "";
  const call: CallTab = createCallTab(environment);
  const land = async () => (await call("echo", { text: "x" })).body["result"];
  const lands = async (where: ShownTerminal) => {
    await expect.poll(land).toBe(`x in ${await tabIdOf(where)}`);
  };
  const names = async (where: ShownTerminal) => expect((await where.run("klangk-browser-id")).output.trim()).toBe(id);

  await takeFocus(first);
  await lands(first);
  expect(await first.run(`klangk-attach-browser ${await tabIdOf(other)}`)).toMatchObject({ code: 0, output: "" });
  await other.tab.activate();
  await lands(other);
  await names(first);
  await lands(first);
  // Once more, and back by the script.
  await first.run(`klangk-attach-browser ${await tabIdOf(other)}; klangk-attach-browser ${await tabIdOf(first)}`);
  await names(first);
  await lands(first);
  await first.tab.reload();
  await first.ready();
  await takeFocus(first);
  await lands(first);
  await names(first);
  await first.tab.close();
  const missing = "No browser client connected to this workspace";
  await expect.poll(async () => (await call("echo", { text: "x" })).body["detail"]).toBe(missing);
  const again = await world.openApp(id);
  await takeFocus(again);
  await lands(again);
  await names(again);
  await world.hub.restart();
  await again.tab.waitFor("view.state.status === 'connected' && pagewire.state.status === 'connected'");
  await takeFocus(again);
  await lands(again);
  // Until it is drawn again, a screen shows the shell of before the restart.
  await again.tab.reload();
  await again.ready();
  await takeFocus(again);
  await lands(again);
  await names(again);
});

test("programs that ask for the bridge's health before they call find it well", async () => {
  const terminal = await world.openApp();
  const { output } = await terminal.run(`curl -s -o /dev/null -w '%{http_code}' "$KLANGKWS_BRIDGE_URL/health"`);
  expect(output).toBe("200");
});

test("GitHub's code is shown in the tab until the person has allowed it there, and then git goes on", async () => {
  const terminal = await world.open();
  const asking = await terminal.start(askGit());
  const { text } = await dialogIn(terminal.tab);
  expect(text).toMatch(/Sign in to github\.com .*WDJB-MJHT Copy Open github\.com The code is good for 1[45]:\d\d\./);
  sign = "allows";
  const { code, output } = await asking.ended();
  await noDialogIn(terminal.tab);
  expect([code, output]).toEqual([0, expect.stringContaining("username=x-access-token\npassword=gho_given")]);
  expect(output).not.toContain("bridge:");
});

test("a token that its user wants remembered is given to the next command without a code", async () => {
  const terminal = await world.open();
  const asking = await terminal.start(
    `{ ${askGit()}; } > filled; git -c credential.helper=bridge credential approve < filled`,
  );
  const dialog = await dialogIn(terminal.tab);
  await dialog.click("Remember until this page is left");
  sign = "allows";
  expect((await asking.ended()).code).toBe(0);
  await noDialogIn(terminal.tab);
  sign = "refuses";
  expect((await terminal.run(askGit())).output).toContain("password=gho_given");
});

test("a code that is refused at GitHub is told in the tab, and git goes on without it", async () => {
  const terminal = await world.open();
  const asking = await terminal.start(askGit());
  await dialogIn(terminal.tab);
  sign = "refuses";
  expect((await asking.ended()).code).not.toBe(0);
  await terminal.tab.waitFor("document.querySelector('pagewire-dialog') !== null");
  await terminal.tab.press("Escape");
  await noDialogIn(terminal.tab);
});

test("a code that nobody looks at any more, because its tab was closed, keeps git waiting for GitHub only", async () => {
  const terminal = await world.open();
  const second = await world.open();
  const asking = await terminal.start(askGit());
  await dialogIn(terminal.tab);
  await terminal.tab.close();
  sign = "allows";
  expect(await asking.ended()).toMatchObject({
    code: 0,
    output: expect.stringContaining("password=gho_given") as string,
  });
  expect(await second.tab.evaluate("document.querySelector('pagewire-dialog')")).toBeNull();
});

test("the hub's own page fetches from a listed origin once its user allows it, and from no other", async () => {
  const terminal = await world.open();
  const call = createCallTab(await terminal.environment("PAGEWIRE_"));
  const asked = call("fetch", { url: `${listed.origin}/orders` });
  const dialog = await dialogIn(terminal.tab);
  expect(dialog.text).toContain(`Allow GET to ${listed.origin}?`);
  await dialog.click("Refuse");
  expect(await asked).toMatchObject({ status: 502, body: { code: "action-refused", outcome: "rejected", ran: "no" } });
  expect(listed.requests).toEqual([]);
  const again = call("fetch", { url: `${listed.origin}/orders` });
  await (await dialogIn(terminal.tab)).click("Allow");
  expect((await again).body).toMatchObject({ status: 200, body: '{"orders":3}' });
  for (const url of [github.origin, world.hub.url, "https://example.com/"]) {
    expect([url, (await call("fetch", { url })).body]).toMatchObject([url, { code: "action-refused", ran: "no" }]);
  }
  expect(listed.requests.map(({ method, headers }) => [method, headers.cookie])).toEqual([["GET", undefined]]);
});
