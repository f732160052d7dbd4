import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkExample } from "../../scripts/lib/example-world.mjs";
import { isInstalled } from "../../scripts/lib/is-installed.mjs";
import { runNpm, runPackage } from "../../scripts/lib/run.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const extension = join(folder, "extension.ts");
const seed = fileURLToPath(new URL("../../test/seeds/browser-bridge.md", import.meta.url));

if (!isInstalled(folder)) {
  console.log("Installing Pi");
  assert.equal(runNpm("ci", "--prefix", folder, "--ignore-scripts", "--loglevel=error"), 0);
}
assert.equal(runPackage("typescript", "-p", folder), 0);

await checkExample(async ({ url, servePage, open, listed, terminalOf }) => {
  const html = readFileSync(new URL("page.html", import.meta.url), "utf8").replace("http://127.0.0.1:7337", url);
  const address = await servePage(html);
  const page = await open(address);
  await listed("my_action");
  const shows = (text) => page.locator("#state", { hasText: text }).waitFor();
  for (const name of Object.keys(process.env)) if (/^(TMUX|PAGEWIRE_|KLANGK)/.test(name)) delete process.env[name];
  const { PATH, ...terminal } = await terminalOf("my_action");
  Object.assign(process.env, { PATH, PAGEWIRE_HOME: terminal.PAGEWIRE_HOME });

  // In a terminal that belongs to no tab Pi is as it was.
  const plain = await startPi(extension);
  await plain.prompt("Hello", "Hello.");
  const builtIn = plain.activeTools();
  assert.ok(builtIn.includes("bash") && !builtIn.includes("celebrate") && !builtIn.includes("list_tab_tools"));
  plain.stop();

  Object.assign(process.env, terminal);
  const pi = await startPi(extension);

  // An action with its arguments, and a tool whose name models would not be given as it is.
  const celebrated = await pi.run("celebrate", { reason: "the release" });
  assert.deepEqual(celebrated.content, [{ type: "text", text: "Celebration triggered!" }]);
  await shows("Celebrated the release");
  const counted = await pi.run("stock_count", { of: "bolts" });
  assert.deepEqual(counted.details.structured, { of: "bolts", count: 17 });
  assert.equal(counted.updates.at(-1), "1/2 counting\nbolts: 17");
  assert.match(pi.systemPrompt(), /- celebrate: Do "celebrate" in the browser tab that shows this terminal/);
  assert.doesNotMatch(pi.systemPrompt(), /by the page/);

  // Wrong arguments are refused before they leave Pi; a failure is an error; images are images.
  assert.match((await pi.run("stock_count", { of: "planks" })).error, /Validation failed/);
  assert.equal((await pi.run("jam")).error, "It jams. (handler-failed)");
  const { content } = await pi.run("picture");
  assert.deepEqual(
    content.map(({ type }) => type),
    ["text", "image"],
  );

  // A page replaces no tool of Pi's, and no model is given a way to a password.
  assert.match((await pi.run("bash", { command: "echo of Pi" })).content[0].text, /of Pi/);
  assert.equal((await pi.run("tab_bash")).content[0].text, "the page's bash");
  assert.ok(!pi.activeTools().includes("git_credential"));
  assert.match((await pi.run("call_tab_tool", { name: "git_credential" })).error, /Unknown action/);

  // Stopping Pi also stops the call in the tab.
  const waiting = pi.run("wait");
  await shows("Waiting");
  await pi.abort();
  await shows("Cancelled");
  await waiting;

  // The tab changes: what it gained can be called at once, and is a tool of Pi's from the next prompt on.
  await page.evaluate(() => {
    pagewire.registerTool({ name: "late", description: "Came late.", execute: () => "here" });
  });
  await listed("late");
  assert.equal((await pi.run("call_tab_tool", { name: "late" })).content[0].text, "here");
  assert.equal((await pi.run("late")).content[0].text, "here");
  assert.match((await pi.run("list_tab_tools")).content[0].text, /Came late/);
  await page.close();
  assert.match((await pi.run("call_tab_tool", { name: "late" })).error, /\((browser-missing|tab-not-found|tab-gone)\)/);
  await pi.prompt("Hello", "Hello.");
  assert.ok(!pi.activeTools().includes("late"));
  pi.stop();

  // The other project's own sample runs as it stands there.
  await open(address);
  await listed("my_action");
  const again = await terminalOf("my_action");
  const bin = join(again.PAGEWIRE_HOME, "bin");
  writeFileSync(join(bin, "klangk-browser-id"), '#!/bin/sh\nexec pagewire browser-id "$@"\n', { mode: 0o755 });
  Object.assign(process.env, again, { KLANGK_BRIDGE_URL: url, KLANGK_WORKSPACE_TOKEN: again.PAGEWIRE_TERMINAL_TOKEN });
  const sample = join(bin, "sample.ts");
  writeFileSync(sample, /```ts\n(.*?)```/s.exec(readFileSync(seed, "utf8"))[1]);
  const withSample = await startPi(sample);
  const { text } = (await withSample.run("my-tool")).content[0];
  assert.equal(JSON.parse(text).result, "done by the page");
  withSample.stop();
  console.log("Pi had the tab celebrate, count, and stop.");
});

/** The real Pi without its screen, with an extension and a scripted model. */
async function startPi(path) {
  const pi = await import("@earendil-works/pi-coding-agent");
  const { fauxAssistantMessage, fauxToolCall, registerFauxProvider } = await import("@earendil-works/pi-ai");
  const home = mkdtempSync(join(tmpdir(), "pagewire-pi-"));
  const faux = registerFauxProvider({ api: home, provider: home });
  const authStorage = pi.AuthStorage.inMemory();
  authStorage.setRuntimeApiKey(home, "none");
  const modelRegistry = pi.ModelRegistry.inMemory(authStorage);
  const settingsManager = pi.SettingsManager.inMemory();
  const resourceLoader = new pi.DefaultResourceLoader({
    cwd: home,
    agentDir: home,
    settingsManager,
    additionalExtensionPaths: [path],
  });
  await resourceLoader.reload();
  const { session, extensionsResult } = await pi.createAgentSession({
    cwd: home,
    agentDir: home,
    model: faux.getModel(),
    authStorage,
    modelRegistry,
    settingsManager,
    resourceLoader,
    sessionManager: pi.SessionManager.inMemory(home),
  });
  assert.deepEqual(extensionsResult.errors, []);
  await session.bindExtensions({});
  return {
    activeTools: () => session.getActiveToolNames(),
    systemPrompt: () => session.systemPrompt,
    abort: () => session.abort(),
    async prompt(text, ...answers) {
      faux.setResponses(answers.map((answer) => (typeof answer === "string" ? fauxAssistantMessage(answer) : answer)));
      await session.prompt(text);
    },
    /** Has the model call one tool; gives what came of it, and what was shown in the meantime. */
    async run(name, input = {}) {
      const updates = [];
      let found;
      const leave = session.subscribe((event) => {
        if (event.type === "tool_execution_update") updates.push(event.partialResult.content[0]?.text);
        if (event.type === "tool_execution_end") found = event;
      });
      await this.prompt(
        `Call ${name}.`,
        fauxAssistantMessage([fauxToolCall(name, input)], { stopReason: "toolUse" }),
        "Done.",
      );
      leave();
      const { result, isError } = found ?? {};
      return { ...result, updates, error: isError ? result.content[0].text : undefined };
    },
    stop() {
      session.dispose();
      faux.unregister();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
