// Runs the samples of the browser-bridge seed exactly as written, in a terminal that a tab of a real browser shows, and tests
// the seed's other claims: its flow, and the lists for ids, scripts and plugins.
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallTab } from "../e2e/support/delegate.ts";
import type { CallTab } from "../e2e/support/delegate.ts";
import { dialogIn, noDialogIn } from "../e2e/support/dialog.ts";
import type { ShownTerminal } from "../e2e/support/shown-terminal.ts";
import { waitUntil } from "../e2e/support/wait.ts";
import { createTerminalWorld } from "../e2e/terminal.test-helper.ts";
import type { TerminalWorld } from "../e2e/terminal.test-helper.ts";
import { unknownProofs } from "../support/unknown-proofs.ts";
import { compileSamples } from "./compile-samples.ts";
import { readSamples } from "./samples.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const samples = readSamples("./browser-bridge.md");
const extension = samples.get("Writing a Pi Extension That Uses the Bridge") ?? "";
const client = samples.get("Writing a Bridge Client (Python)") ?? "";

let world: TerminalWorld;
let terminal: ShownTerminal;
let environment: Readonly<Record<string, string>>;
let call: CallTab;

beforeAll(async () => {
  world = await createTerminalWorld({ hub: ["--klangk"], script: ownAction });
  world.served["/api/me"] = { body: '{"name":"Ada"}', type: "application/json" };
  terminal = await world.openApp();
  environment = await terminal.environment("");
  call = createCallTab(environment);
  await writeFile(join(world.home, "host.mjs"), await hostOf(extension));
  await writeFile(join(world.home, "bridge_client.py"), `${client}\nprint(get_browser_id())\n`);
});
afterAll(() => world?.close());

/** The action that the sample names. */
const ownAction = `registerAction("my_action", () => (count("my_action"), { done: true, tab: pagewire.state.tabId }));`;

/** Runs the extension in place of Pi: logs its tool's answer at each Enter. */
const host = `
import extension from "extension";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const tools = [];
extension({ registerTool: (tool) => tools.push(tool) });
for await (const _ of createInterface({ input: process.stdin })) {
  const { content } = await tools[0].execute();
  appendFileSync(process.argv[2], content[0].text + "\\n");
}
`;

async function hostOf(sample: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: host, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    plugins: [
      {
        name: "sample",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^extension$/ }, ({ path }) => ({ path, namespace: "sample" }));
          onLoad({ filter: /.*/, namespace: "sample" }, () => ({ contents: sample, loader: "ts" }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

/** Calls the extension's tool in this terminal at an Enter; returns the answers. */
async function startExtension({ type }: ShownTerminal, name: string) {
  const file = join(world.home, name);
  await type(`${process.execPath} ~/host.mjs ${file}`);
  let asked = 0;
  return async (press: () => Promise<void>): Promise<string> => {
    asked += 1;
    await press();
    const look = async () => (await readFile(file, "utf8").catch(() => "")).split("\n").slice(0, -1)[asked - 1];
    return (await waitUntil(look, () => "The extension's tool does not answer.")) ?? "";
  };
}

const tabIdOf = ({ tab }: ShownTerminal): Promise<string> => tab.evaluate("pagewire.state.tabId");

async function takeFocus({ tab }: ShownTerminal): Promise<void> {
  await tab.activate();
  await tab.click("pagewire-terminal >>> .xterm-screen");
  await tab.waitFor("view.state.attachment === 'here'");
}

test("every sample of the seed that uses a public API is here, and whatever else it says names rules and tests that exist", () => {
  expect([extension, client].map((sample) => sample.split("\n")[0])).toEqual([
    'import { execSync } from "child_process";',
    "import subprocess",
  ]);
  expect(samples.size).toBe(2);
  const rows = Array.from(
    read("./browser-bridge.md").matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm),
    ([, what, here = ""]) => ({
      what,
      here,
    }),
  ).filter(({ here }) => !["here", "---"].includes(here));
  expect([rows.length, unknownProofs(rows.map(({ here }) => here))]).toEqual([31, []]);
});

test("the Pi extension runs unchanged, and reads the id for each call: its next one lands in the tab that is in front then", async () => {
  const answerAt = await startExtension(terminal, "answers");
  const press = () => terminal.tab.press("Enter");
  const answer = JSON.parse(await answerAt(press)) as { readonly result: string };
  expect(answer).toMatchObject({ cmd: "browser_response", id: expect.any(String), status: "ok" });
  expect(JSON.parse(answer.result)).toEqual({ done: true, tab: await tabIdOf(terminal) });

  const second = await world.openApp(environment["PAGEWIRE_TERMINAL"]);
  await takeFocus(second);
  const next = JSON.parse(await answerAt(() => second.tab.press("Enter"))) as { readonly result: string };
  expect(JSON.parse(next.result)).toMatchObject({ tab: await tabIdOf(second) });
  expect(await second.tab.evaluate("localStorage.getItem('my_action')")).toBe("2");
  await second.tab.press("Control+c");
  await second.tab.close();
  await takeFocus(terminal);
});

test("without a browser id the Pi extension says that no browser is connected", async () => {
  const bare = `env -i PATH="$PATH" PAGEWIRE_HOME=/nowhere KLANGK_BRIDGE_URL=$KLANGK_BRIDGE_URL`;
  await terminal.run(`echo | ${bare} ${process.execPath} ~/host.mjs ~/bare`);
  expect(await readFile(join(world.home, "bare"), "utf8")).toBe("No browser connected.\n");
});

test("the Python client runs unchanged, and is given the id", async () => {
  const { code, output } = await terminal.run("python3 ~/bridge_client.py");
  expect([code, output.trim()]).toEqual([0, environment["KLANGK_BROWSER_ID"]]);
  const missing = await terminal.run(`env -i PATH=/usr/bin:/bin "$(command -v python3)" ~/bridge_client.py`);
  expect(missing.output.trim()).toBe("");
});

test("an id is the tab's own: it survives a refresh, after which the terminal is in that tab again, and a new tab has another", async () => {
  const before = await tabIdOf(terminal);
  await terminal.tab.reload();
  await terminal.ready();
  expect(await tabIdOf(terminal)).toBe(before);
  await takeFocus(terminal);
  expect((await call("my_action", {}, { browserId: before })).status).toBe(200);
  const other = await world.openApp();
  expect(await tabIdOf(other)).not.toBe(before);
  await other.tab.close();
  await takeFocus(terminal);
});

test("a request goes to the target only, in the seed's form, and an unknown id or action is told as there", async () => {
  const bystander = await world.openApp();
  await takeFocus(terminal);
  await terminal.tab.evaluate("localStorage.removeItem('echo')");
  const { status, body } = await call("echo", { text: "hello" });
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ["cmd", "id", "result", "status"]]);
  expect(body["result"]).toBe(`hello in ${await tabIdOf(terminal)}`);
  expect(await terminal.tab.evaluate("localStorage.getItem('echo')")).toBe("1");
  expect(await call("echo", {}, { browserId: "somebody" })).toMatchObject({
    status: 403,
    body: { detail: "Unknown browser ID" },
  });
  expect(await call("no_such")).toMatchObject({ status: 502, body: { detail: "Unknown action: no_such" } });
  await bystander.tab.close();
  await takeFocus(terminal);
});

test("each of the seed's client-side plugins answers to its name", async () => {
  for (const action of ["celebrate", "beep", "boing", "bobdobbs"]) {
    const { body } = await call(action, { duration: 20 });
    expect([action, body["status"] ?? body["code"]]).toEqual([
      action,
      expect.toSatisfy((word) => ["ok", "action-unavailable"].includes(word as string)),
    ]);
  }
  // "Bob" stays until a click.
  await terminal.tab.click("body");
  expect(await call("fetch", { url: "/api/me" })).toMatchObject({
    status: 200,
    body: { status: 200, body: '{"name":"Ada"}' },
  });
  expect(world.app.requests.find(({ path }) => path === "/api/me")?.headers.cookie).toBe("session=ada");
  const asked = call("git_credential", { operation: "get", protocol: "https", host: "git.example.com" });
  const dialog = await dialogIn(terminal.tab);
  await dialog.fill("ada", "a word");
  await dialog.click("Sign in");
  expect(JSON.parse(String((await asked).body["result"]))).toMatchObject({ username: "ada", password: "a word" });
});

test("the code of the other project's git helper is shown in the tab until the helper is done", async () => {
  const flow = async (operation: string, more: object = {}) => {
    const { status, body } = await call("git_credential", {
      operation,
      protocol: "https",
      host: "github.com",
      ...more,
    });
    return [status, body["status"], JSON.parse(String(body["result"]))] as const;
  };
  const accepted = [200, "ok", { status: "ok" }];
  const code = { user_code: "ABCD-1234", verification_uri: "https://github.com/login/device", expires_in: 899 };
  expect(await flow("device_flow_show", code)).toEqual(accepted);
  const { text } = await dialogIn(terminal.tab);
  expect(text).toMatch(/enter this code there\. ABCD-1234 Copy Open github\.com The code is good for 14:\d\d\./);
  expect(await flow("device_flow_done")).toEqual(accepted);
  await noDialogIn(terminal.tab);
  expect(await flow("device_flow_show", code)).toEqual(accepted);
  expect(await flow("device_flow_error", { error: "Code expired. Please try again." })).toEqual(accepted);
  const failed = await dialogIn(terminal.tab);
  expect(failed.text).toContain("Code expired. Please try again.");
  expect(failed.text).not.toContain("ABCD-1234");
  await failed.click("Close");
  await noDialogIn(terminal.tab);
});

test("a terminal that was started for klangk has its variables and its four commands", async () => {
  const { PAGEWIRE_URL: url, PAGEWIRE_TERMINAL: id, PAGEWIRE_TERMINAL_TOKEN: token } = environment;
  expect(environment).toMatchObject({
    KLANGK_BRIDGE_URL: url,
    KLANGKWS_BRIDGE_URL: url,
    KLANGK_BROWSER_ID: id,
    KLANGKWS_BROWSER_ID: id,
    KLANGK_WORKSPACE_TOKEN: token,
  });
  const { output } = await terminal.run(
    [
      "klangk-browser-id",
      "klangk-workspace-token",
      "klangk-attach-browser; echo $?",
      `klangk-attach-browser ${id}; echo $?`,
    ].join("; "),
  );
  const lines = output.trim().split("\n");
  expect(lines.slice(0, 2)).toEqual([id, token]);
  expect(lines.slice(2)).toEqual([expect.stringContaining('attach-browser" needs <id>'), "2", "0"]);
  const copied = await terminal.run("printf copied | klangk-copy-to-clipboard");
  expect(copied.code).toBe(0);
});

test("the sample in TypeScript compiles", () => {
  expect(compileSamples("browser-bridge-types", { "extension.ts": extension })).toEqual(["", 0]);
});
