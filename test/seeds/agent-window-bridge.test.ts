// Runs the samples of the agent-window-bridge seed exactly as written, in an app's page, with the real hub's window beside it.
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ask } from "../e2e/agent-window.test-helper.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { unknownProofs } from "../support/unknown-proofs.ts";
import { agentOrigin, createAgentWorld } from "./agent-window-world.ts";
import type { AgentWorld } from "./agent-window-world.ts";
import { allow, answered, openFrom } from "./assistant.ts";
import { compileSamples } from "./compile-samples.ts";
import { bundleForPage } from "./sample-modules.ts";
import type { ModuleSetting } from "./sample-modules.ts";
import { readSamples } from "./samples.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const samples = readSamples("./agent-window-bridge.md");

interface Surroundings extends ModuleSetting {
  /** Code before the sample, for what it leaves out. */
  readonly before?: string;
  readonly after?: string;
  /** Replacements for its ellipses. */
  readonly filled?: Readonly<Record<string, string>>;
  /** Whether the page runs it on load; otherwise a click on its button does. */
  readonly atOnce?: boolean;
}

const bridge = `
  import { SeahorseAgentBridge } from 'seahorse-agent-bridge';
  const bridge = (window.bridge = new SeahorseAgentBridge({ agentOrigin: '${agentOrigin}' }));`;
const button =
  "window.bridge = bridge; document.getElementById('run').addEventListener('click', () => bridge.openAgent());";

const programs: Readonly<Record<string, Surroundings>> = {
  "Basic Usage": {},
  "React Integration Example": {
    loader: "tsx",
    before: 'import { createRoot } from "react-dom/client";',
    after: 'createRoot(document.getElementById("root")).render(<MyApp />);',
    atOnce: true,
  },
  onToolCall: {
    before: `${bridge}
      const fetchDataFromAPI = async (args) => ({ rows: 3, args });
      bridge.registerTools([{ name: "get_data", description: "Get data", parameters: { type: "object", properties: {} } }]);`,
    after: button,
    atOnce: true,
  },
  "Dashboard Integration": { before: bridge, after: button, atOnce: true },
  "Session Recovery": {
    before: `import { SeahorseAgentBridge } from 'seahorse-agent-bridge';
      const setAgentWindow = (found) => (window.found = found);`,
    filled: {
      "'...'": `'${agentOrigin}'`,
      "[...]": "[{ name: 'get_data', description: 'Get data', parameters: { type: 'object', properties: {} } }]",
    },
    after: `${button} bridge.onToolCall('get_data', () => 'data of ' + performance.timeOrigin);`,
    atOnce: true,
  },
  "Backward Compatibility": {
    before: `import { SeahorseAgentBridge } from 'seahorse-agent-bridge';
      window.addEventListener('agent-connection-state-changed', ({ detail }) => (window.details ??= []).push(detail));`,
    filled: { "SeahorseAgentBridge({": `SeahorseAgentBridge({ agentOrigin: '${agentOrigin}',` },
    after: button,
    atOnce: true,
  },
};

let world: AgentWorld;

beforeAll(async () => {
  world = await createAgentWorld();
  for (const [heading, surroundings] of Object.entries(programs)) {
    const path = pathOf(heading);
    const load = surroundings.atOnce
      ? `import("${path}.js")`
      : `document.getElementById("run").addEventListener("click", () => import("${path}.js"))`;
    world.served[path] = pageOf(load);
    world.served[`${path}.js`] = await scriptOf(heading, surroundings);
  }
  world.served["/api/users/u1"] = { body: JSON.stringify({ name: "Ada Lovelace" }), type: "application/json" };
});

afterEach(async () => {
  for (const tab of await world.browser.tabs()) await tab.close();
});

afterAll(() => world.close());

const pageOf = (script: string) =>
  `<!doctype html><title>App</title><button id="run">Run</button><div id="root"></div><script type="module">${script}</script>`;

const pathOf = (heading: string) => `/${heading.replaceAll(" ", "-").toLowerCase()}`;

function scriptOf(heading: string, { before = "", after = "", filled = {}, ...setting }: Surroundings) {
  return bundleForPage(`${before}\n${sampleOf(heading, filled)}\n${after}\nwindow.ran = true;`, setting);
}

/** A sample with its gaps filled. */
function sampleOf(heading: string, filled: Readonly<Record<string, string>> = {}): string {
  let sample = samples.get(heading) ?? "";
  for (const [gap, filling] of Object.entries(filled)) {
    expect(sample).toContain(gap);
    sample = sample.replace(gap, filling);
  }
  return sample;
}

/** Opens the page of a sample. */
async function open(heading: string): Promise<Tab> {
  const app = await world.open(pathOf(heading));
  if (programs[heading]?.atOnce) await app.waitFor("window.ran");
  return app;
}

const logOf = (tab: Tab) => tab.console.messages.map(({ text }) => text);

test("every sample of the seed that uses a public API is run here", () => {
  expect([...samples.keys()]).toEqual([...Object.keys(programs), "InputArea Component"]);
});

test("whatever else the seed says names rules and tests that exist, and each option and method is in a test", () => {
  const rows = Array.from(
    read("./agent-window-bridge.md").matchAll(/^\| (\w+)(?:[^|]*: (\w+))?[^|]* \| ([^|]+) \|$/gm),
    ([, kind = "", name = "", here = ""]) => ({ kind, name, here }),
  ).filter(({ here }) => here !== "here");
  const named = rows.filter(({ here }) => !here.startsWith("no test: ")).map(({ here }) => here);
  expect([rows.length, unknownProofs(named)]).toEqual([45, []]);
  const tables = read("./agent-window-tables.test.ts");
  const inTests = rows.filter(({ kind }) => kind === "option" || kind === "method");
  expect([inTests.length, inTests.filter(({ name }) => !tables.includes(name))]).toEqual([19, []]);
});

test("Basic Usage", async () => {
  const app = await open("Basic Usage");
  const assistant = await openFrom(app, () => app.click("#run"));
  await allow(assistant);
  await answered(assistant, "John Doe");
  expect(logOf(app)).toEqual(["Connection: disconnected → connecting", "Connection: connecting → connected"]);
  await assistant.close();
  await expect.poll(() => logOf(app)).toContain("Agent window closed by user");
});

/** The seed's claims about its React sample: it shows the state, its tool is called, and a refresh finds the window again. */
async function useReactApp(app: Tab): Promise<void> {
  expect(await app.evaluate("root.textContent")).toBe("Open AI AssistantStatus: disconnected");
  const assistant = await openFrom(app, () => app.click("#root button"));
  await app.waitFor("root.textContent.includes('Status: connected') && root.querySelector('button').disabled");
  await ask(assistant, 'Get user data for the user ID "u1"');
  await allow(assistant);
  await answered(assistant, "Ada Lovelace");
  await app.reload();
  await app.waitFor("root.textContent.includes('Status: connected')");
  expect(logOf(app)).toContain("Session recovered!");
  await assistant.close();
  await app.waitFor("root.textContent.includes('Status: disconnected')");
}

test("React Integration Example", async () => useReactApp(await open("React Integration Example")));

test("the same in five lines, with useAgentBridge", async () => {
  const contents = `
    import { createRoot } from "react-dom/client";
    import { useAgentBridge } from "pagewire/react";
    const userData = {
      name: "get_user_data",
      description: "Get user data from parent app",
      parameters: { type: "object", properties: { userId: { type: "string", description: "User ID" } }, required: ["userId"] },
      handler: ({ userId }) => fetch(\`/api/users/\${userId}\`).then((response) => response.json()),
    };
    function MyApp() {
      const { open, state } = useAgentBridge({
        agentOrigin: "${agentOrigin}", tools: [userData], onSessionRecovered: () => console.log("Session recovered!"),
      });
      return <div><button onClick={open} disabled={state === "connected"}>Open AI Assistant</button><div>Status: {state}</div></div>;
    }
    createRoot(document.getElementById("root")).render(<MyApp />);`;
  world.served["/five-lines"] = pageOf('import("/five-lines.js")');
  world.served["/five-lines.js"] = await bundleForPage(contents, { loader: "tsx" });
  const app = await world.open("/five-lines");
  await app.waitFor("root.textContent");
  await useReactApp(app);
});

test("onToolCall", async () => {
  const app = await open("onToolCall");
  const assistant = await openFrom(app, () => app.click("#run"));
  await ask(assistant, "Get the data");
  await allow(assistant);
  await answered(assistant, "3");
});

test("Dashboard Integration", async () => {
  const app = await open("Dashboard Integration");
  const assistant = await openFrom(app, () => app.click("#run"));
  await ask(assistant, "Get the dashboard overview");
  await allow(assistant);
  await answered(assistant, "125,000");
  await ask(assistant, "What were sales in the last 30 days?");
  await allow(assistant);
  await answered(assistant, "Last 30 days");
});

test("Session Recovery", async () => {
  const app = await open("Session Recovery");
  const assistant = await openFrom(app, () => app.click("#run"));
  await app.waitFor("bridge.getConnectionState() === 'connected'");
  await app.reload();
  await app.waitFor("window.found && !window.found.closed && bridge.getConnectionState() === 'connected'");
  expect(logOf(app)).toContain("Session recovered! Agent still connected.");
  await ask(assistant, "Get the data");
  await allow(assistant);
  await answered(assistant, String(await app.evaluate("performance.timeOrigin")));
});

test("Backward Compatibility", async () => {
  const app = await open("Backward Compatibility");
  await app.popup(() => app.click("#run"));
  const details = [
    { previousState: "disconnected", currentState: "connecting" },
    { previousState: "connecting", currentState: "connected" },
  ];
  await expect.poll(() => app.evaluate("details")).toMatchObject(details);
  // Each change is reported twice: by the callback and by the event.
  expect(logOf(app)).toEqual(Array.from({ length: 4 }, () => "Connection changed"));
});

test("InputArea Component", async () => {
  const ownAgent = world.app.originFor("agent.test");
  const before = `
    import { useEffect, useState } from "react";
    import { createRoot } from "react-dom/client";
    import { ParentLink } from "pagewire/agent-window";
    new ParentLink({ allowedOrigins: ["${world.app.origin}"] });
    function InputArea() {
      const [inputValue, setInputValue] = useState("");
      const handleSendMessage = () => (window.sent = true);`;
  const after = `
      return <input value={inputValue} readOnly />;
    }
    createRoot(document.body).render(<InputArea />);`;
  world.served["/input-area"] =
    '<!doctype html><title>Agent</title><script type="module" src="/input-area.js"></script><body>';
  world.served["/input-area.js"] = await scriptOf("InputArea Component", { before, after, loader: "tsx" });
  const app = await open("Dashboard Integration");
  await app.evaluate(
    `void (window.bridge = new bridge.constructor({ agentOrigin: "${ownAgent}", agentUrl: "${ownAgent}/input-area" }))`,
  );
  const agent = await app.popup(() => app.evaluateAsUser("void bridge.openAgent()"));
  await app.evaluate("bridge.injectMessage('Hello')");
  await agent.waitFor("document.querySelector('input').value === 'Hello' && !window.sent");
  await app.evaluate("bridge.injectMessage('Go', { autoSend: true })");
  await agent.waitFor("document.querySelector('input').value === 'Go' && window.sent");
});

test("the samples in TypeScript compile", () => {
  const own = "import { SeahorseAgentBridge } from 'seahorse-agent-bridge'; declare const bridge: SeahorseAgentBridge;";
  const files = {
    "basic.ts": sampleOf("Basic Usage"),
    "react.tsx": `${sampleOf("React Integration Example")}\nexport { MyApp };`,
    "on-tool-call.ts": `${own}
      declare function fetchDataFromAPI(args: object): Promise<object>;
      ${sampleOf("onToolCall")}`,
    "dashboard.ts": `${own}\n${sampleOf("Dashboard Integration")}`,
  };
  expect(compileSamples("agent-window-types", files)).toEqual(["", 0]);
});
