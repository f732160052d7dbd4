// The examples for frameworks in which people write their own agents, each as its reader runs it: installed from its lockfile,
// with a scripted model of its vendor's, a real hub and a real tab.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { spawnOwned } from "../e2e/support/processes.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { within } from "../e2e/support/wait.ts";
import { anthropic } from "./model/anthropic.ts";
import type { JsonBody, ModelFormat } from "./model/model-format.ts";
import { openAiChat } from "./model/openai-chat.ts";
import { openAiResponses } from "./model/openai-responses.ts";
import { startScriptedModel } from "./model/scripted-model.ts";
import type { ScriptedModel, Turn } from "./model/scripted-model.ts";
import type { Outcome } from "./journeys/journey.ts";
import { createMachine, pagewire } from "./support/machine.ts";
import type { Machine } from "./support/machine.ts";
import { record } from "./support/record.ts";
import { underRule } from "./support/rule-asks.ts";

interface Sdk {
  readonly folder: string;
  readonly title: string;
  readonly package: string;
  readonly format: ModelFormat;
  /** Whether each turn has the tools of that moment; otherwise all turns have those of the first. */
  readonly readsAgain: boolean;
}

const sdks: readonly Sdk[] = [
  { folder: "ai-sdk", title: "Vercel AI SDK", package: "ai", format: openAiResponses, readsAgain: false },
  {
    folder: "openai-agents",
    title: "OpenAI Agents SDK",
    package: "@openai/agents",
    format: openAiResponses,
    readsAgain: true,
  },
  {
    folder: "claude-agent-sdk",
    title: "Claude Agent SDK",
    package: "@anthropic-ai/claude-agent-sdk",
    format: anthropic,
    readsAgain: true,
  },
  { folder: "langchain", title: "LangChain", package: "langchain", format: openAiChat, readsAgain: false },
  { folder: "mastra", title: "Mastra", package: "@mastra/core", format: openAiResponses, readsAgain: false },
];

const examples = fileURLToPath(new URL("../../examples/agent-sdks/", import.meta.url));

let machine: Machine;

beforeAll(async () => {
  machine = await createMachine();
});

afterAll(() => machine?.close());

let tab: Tab;

beforeEach(async () => {
  tab = await machine.openTab();
  machine.forget();
});

afterEach(() => machine.closeTabs());

/** The user of the machine, at its command line. */
const user = {
  get project() {
    return join(machine.home, "projects", "frameworks");
  },
  async pagewire(...args: readonly string[]) {
    const began = performance.now();
    const env = { PATH: process.env["PATH"] ?? "", HOME: machine.home };
    const owned = await spawnOwned(process.execPath, [pagewire, ...args], { env });
    const { code } = await owned.closed;
    return { code, output: owned.output(), ms: Math.round(performance.now() - began) };
  },
};

/** Asks the example's agent a question while its model answers so; returns what it printed. */
async function ask(folder: string, model: ScriptedModel, ...turns: readonly Turn[]): Promise<string> {
  model.script(...turns);
  const { PATH = "" } = process.env;
  const env = {
    PATH,
    HOME: machine.home,
    PAGEWIRE_URL: machine.hub.url,
    PAGEWIRE_TOKEN: await machine.hub.token(),
    ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "scripted", OPENAI_AGENTS_DISABLE_TRACING: "1" },
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted" },
    ...{ DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    ...{ MASTRA_TELEMETRY_DISABLED: "1" },
  };
  const cwd = join(examples, folder);
  const owned = await spawnOwned(process.execPath, ["agent.mjs", "What is on shelf A?"], { cwd, env });
  const { code } = await within(owned.closed, () => `${folder} did not end:\n${owned.output()}`, 120_000);
  expect(model.complaints, owned.output()).toEqual([]);
  expect(code, owned.output()).toBe(0);
  return owned.output();
}

/** Has the model call a page's tool. Where an SDK makes every argument required, the model gives null for one it does not want. */
const callOf =
  (tool: string, input: object = {}): Turn =>
  ({ tools }) => {
    const offered = tools.find(({ name }) => name.endsWith(tool));
    if (!offered) throw new Error(`There is no ${tool} among ${tools.map(({ name }) => name).join(", ")}.`);
    const { required = [] } = offered.schema as { readonly required?: readonly string[] };
    return {
      call: { tool: offered, input: { ...Object.fromEntries(required.map((name) => [name, null])), ...input } },
    };
  };

const wanted = process.env["PAGEWIRE_AGENTS_ONLY"]?.split(",");

const chosen = sdks.filter(({ folder }) => wanted?.includes(folder) ?? true);

// A file without a test would be an error.
test.skipIf(chosen.length > 0)("none of the frameworks is chosen", () => {});

describe.each(chosen)("$folder", (sdk) => {
  const { folder, readsAgain } = sdk;
  let model: ScriptedModel;

  beforeAll(async () => {
    model = await startScriptedModel(sdk.format);
  });

  afterAll(() => model.close());

  /** Asks the question, and records what came out and how long the whole program took. */
  async function journey(title: string, result: string, ...turns: readonly Turn[]): Promise<string> {
    const began = performance.now();
    const printed = await ask(folder, model, ...turns);
    const ms = Math.round(performance.now() - began);
    await recordOf(sdk, title, { result, ms });
    return printed;
  }

  test("a call, by HTTP", async ({ task }) => {
    const printed = await journey(
      task.name,
      "ran once, and the result comes whole",
      callOf("get_stock", { shelf: "A" }),
      ({ results }) => ({ text: `Shelf A: ${results.at(-1)?.text}` }),
    );
    expect(machine.ran("get_stock")).toBe(1);
    expect(printed).toContain("Crème brûlée ☕");
    expect(model.requests).toHaveLength(2);
  });

  test("a tool fails, and its words let the model mend the call", async ({ task }) => {
    const printed = await journey(
      task.name,
      "the page's words; the second call succeeds",
      callOf("reserve", { sku: "A-9" }),
      (request) => {
        expect(request.results.at(-1)?.text).toContain("There is no A-9. There are A-1 and A-2.");
        return callOf("reserve", { sku: "A-1" })(request);
      },
      ({ results }) => ({ text: results.at(-1)?.text ?? "" }),
    );
    expect(printed).toContain("Reserved one A-1.");
    expect(machine.ran("reserve")).toBe(2);
  });

  test("a tool that a call adds", async ({ task }) => {
    const byPair = { tabId: await machine.tabId(tab), name: "open_safe", arguments: {} };
    const printed = await journey(
      task.name,
      readsAgain ? "in the model's next request, by its name" : "by call_tab_tool: the list is that of the start",
      callOf("unlock"),
      readsAgain ? callOf("open_safe") : callOf("call_tab_tool", byPair),
      ({ results }) => ({ text: results.at(-1)?.text ?? "" }),
    );
    expect(printed).toContain("The safe has 7 coins.");
  });

  test("a destructive tool that a rule of the hub asks about", async ({ task }) => {
    const began = performance.now();
    const clear = () =>
      ask(folder, model, callOf("clear_shelf", { shelf: "A" }), ({ results }) => ({
        text: results.at(-1)?.text ?? "",
      }));
    const { isAsked, ended } = await underRule(machine, user, clear);
    const ms = Math.round(performance.now() - began);
    expect(ended).toContain(isAsked ? "Shelf A is empty." : "Nothing was run.");
    const result = isAsked
      ? "waits for its user, who is asked once and allows it; then it runs once"
      : "does not run, and no person was asked";
    await recordOf(sdk, task.name, { result, ms });
  });
});

function recordOf(sdk: Sdk, title: string, outcome: Outcome): Promise<void> {
  return record({ program: { id: sdk.folder, title: sdk.title }, version: versionOf(sdk) }, title, outcome);
}

/** The installed version, which must be the one that a reader installs. */
function versionOf({ folder, package: name }: Sdk): string {
  const read = (path: string) => JSON.parse(readFileSync(join(examples, folder, path), "utf8")) as JsonBody;
  const { version } = read(`node_modules/${name}/package.json`);
  expect(version).toBe(read("package.json").dependencies[name]);
  return version as string;
}
