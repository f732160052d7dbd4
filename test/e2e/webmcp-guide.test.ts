// Runs docs/guide/chromes-agent-and-yours.md exactly as written.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../scripts/find-chromium.mjs";
import { filesIn } from "../../scripts/lib/files.mjs";
import { compileSamples } from "../seeds/compile-samples.ts";
import { createMcpAgent } from "../seeds/mcp-agent.ts";
import { bundleForPage, runModule } from "../seeds/sample-modules.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { callerOf, connected } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = read("docs/guide/chromes-agent-and-yours.md");
const blocks = Array.from(guide.matchAll(/^```(\w+)\n(.*?)^```/gms), ([, language = "", text = ""]) => ({
  language,
  text,
}));

/** The only block of a language that contains a text. */
function block(language: string, holding: string): string {
  const found = blocks.filter((one) => one.language === language && one.text.includes(holding));
  expect(found, `a block with ${holding}`).toHaveLength(1);
  return found[0]?.text ?? "";
}

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const served: Record<string, Page> = {};
const agents = { "/mcp": createMcpAgent(), "/maps": createMcpAgent() };

let pages: PageServer;
let hub: HubProcess;
let native: Browser;
let plain: Browser;
let call: CallByHttp;

beforeAll(async () => {
  pages = await servePages(served, {
    listeners: {
      "/mcp": (request, response) => agents["/mcp"].listener(request, response),
      "/maps": (request, response) => agents["/maps"].listener(request, response),
    },
  });
  hub = await startHub({ args: ["--allow-origin", pages.origin] });
  call = callerOf(hub.url, await hub.token());
  native = await openChromium({ features: { enable: ["WebMCP"] } });
  plain = await openChromium();
});

afterEach(async () => {
  for (const browser of [native, plain]) for (const tab of await browser.tabs()) await tab.close();
});

afterAll(async () => {
  await native.close();
  await plain.close();
  await hub.close();
  await pages.close();
});

/** Replaces the guide's placeholder addresses with real ones. */
const here = (text: string, also: Readonly<Record<string, string>> = {}) =>
  Object.entries({ "http://127.0.0.1:7337": hub.url, ...also }).reduce(
    (out, [from, to]) => out.replaceAll(from, to),
    text,
  );

/** Opens a page that runs a module of the guide. */
async function run(browser: Browser, module: string, before = ""): Promise<Tab> {
  served["/module.js"] = await bundleForPage(`${before}\n${module}\nwindow.ranWhole = true;`, { loader: "tsx" });
  return open(
    browser,
    '<!doctype html><title>Teas</title><div id="root"></div><script type="module" src="/module.js"></script>',
  );
}

async function open(browser: Browser, page: string): Promise<Tab> {
  served["/guide"] = page;
  return browser.open(pages.url("/guide"));
}

const ranWhole = (tab: Tab) => tab.waitFor("window.ranWhole");
const namesIn = (tab: Tab): Promise<string[]> =>
  tab.evaluate("document.modelContext.getTools().then((tools) => tools.map(({ name }) => name))");

test("the page to try it with, and the commands beside it", async () => {
  const tab = await open(native, here(block("html", "find_tea")));
  await connected(tab);
  const pagewire = async (line: string) => {
    const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? "").slice(2);
    const env = { PATH: process.env["PATH"], PAGEWIRE_HOME: hub.home };
    return (await promisify(execFile)(process.execPath, [command, ...words], { env })).stdout;
  };
  const [tools = "", count = "", find = ""] = block("sh", "call count_teas").trim().split("\n");
  await expect.poll(() => pagewire(tools)).toMatch(/count_teas[^]*find_tea/);
  expect(await pagewire(count)).toContain("There are 3 teas.");
  expect(await pagewire(find)).toContain("oolong");
  expect(tab.console.errors).toEqual([]);
});

test("a server's tools in the browser", async () => {
  const tab = await run(native, block("js", "getHeaders: async"), 'const getToken = async () => "of-the-session";');
  await ranWhole(tab);
  expect(tab.console.messages.map(({ text }) => text)).toContainEqual(expect.stringMatching(/Array|remote\.greet/));
  expect(agents["/mcp"].of("tools/list").at(-1)?.headers.authorization).toBe("Bearer of-the-session");
  expect([await namesIn(tab), agents["/mcp"].sessions()]).toEqual([[], 0]);
});

test("a server's tools in the browser, without a build", async () => {
  const tab = await open(native, here(block("html", "/webmcp.js")));
  await expect.poll(() => namesIn(tab)).toEqual(["add", "greet"]);
});

test("what marks a server's tools as a stranger's", async () => {
  const [, option = ""] = /`(mapTool: \(tool\) => [^`]*)`/.exec(guide.split("## Who may do what")[1] ?? "") ?? [];
  const program = `import { registerWebMcp } from "pagewire/webmcp"; await registerWebMcp({ url: "/mcp", ${option} });`;
  const tab = await run(native, program);
  await ranWhole(tab);
  const hints =
    "document.modelContext.getTools().then((tools) => tools.map((one) => one.annotations.untrustedContentHint))";
  expect(await tab.evaluate(hints)).toEqual([true, true]);
});

test("several servers", async () => {
  const module = here(block("js", "servers: ["), { "https://maps.example/mcp": "/maps" });
  const tab = await run(native, module);
  await ranWhole(tab);
  expect(await namesIn(tab)).toEqual(["maps.add", "maps.greet", "shop.add", "shop.greet"]);
  expect(agents["/maps"].of("tools/list").at(-1)?.headers.authorization).toBe("Bearer public");
});

test("the README's two samples", async () => {
  const section = read("README.md").split("## Chrome's agent, and yours")[1]?.split("\n## ")[0] ?? "";
  const [server = "", page = ""] = Array.from(section.matchAll(/^```js\n(.*?)^```/gms), ([, text = ""]) => text);
  const connect = here(page, { "native: true": `native: true, tools: [own], hub: "${hub.url}"` });
  const own = 'const own = { name: "get_basket", description: "The basket.", execute: () => "tea" };';
  const tab = await run(native, `import { connectPage } from "pagewire/page"; ${server}\n${own}\n${connect}`);
  await ranWhole(tab);
  await expect.poll(() => namesIn(tab)).toEqual(["get_basket", "remote.add", "remote.greet"]);
});

describe("a page's own tools in the browser", () => {
  const tool = { name: "get_basket", description: "The basket." };

  test("with connectPage", async () => {
    const module = here(block("js", "native: true"), { "native: true": `native: true, hub: "${hub.url}"` });
    const tab = await run(native, `${module}\nwindow.page = page;`);
    await ranWhole(tab);
    await tab.evaluate(`page.registerTool({ ...${JSON.stringify(tool)}, execute: () => "tea" })`);
    await expect.poll(() => namesIn(tab)).toEqual(["get_basket"]);
  });

  test("with the script tag", async () => {
    const tab = await open(native, here(block("html", "data-native")));
    await tab.evaluate(`pagewire.registerTool({ ...${JSON.stringify(tool)}, execute: () => "tea" })`);
    await expect.poll(() => namesIn(tab)).toEqual(["get_basket"]);
    const script = "document.modelContext.getTools().then(([tool]) => document.modelContext.executeTool(tool))";
    expect(await tab.evaluate(script)).toContain("tea");
  });
});

test("a frame of another origin", async () => {
  const frame = `http://localhost:${pages.port}`;
  const origins = { "https://pay.example": frame, "https://shop.example": pages.origin };
  served["/form"] = `<script>const pay = () => "paid"; ${here(block("js", '"pay"'), origins)}</script>`;
  const tab = await open(native, here(block("html", "data-from-origins"), origins));
  await connected(tab);
  await expect.poll(async () => (await call("pay", {})).result?.content).toEqual([{ type: "text", text: "paid" }]);
});

describe("the polyfill", () => {
  const sample = block("js", "pagewire/webmcp/polyfill");

  test("as a module, where the browser has nothing", async () => {
    const tab = await run(plain, sample);
    await ranWhole(tab);
    expect([await namesIn(tab), tab.console.errors]).toEqual([["get_title"], []]);
  });

  test("with the script tag, and the browser's tools of a page as every other agent's", async () => {
    const tag = /<script src="[^"]*polyfill[^>]*><\/script>/.exec(sample)?.[0] ?? "";
    const tab = await open(plain, here(tag + block("html", "find_tea")));
    await connected(tab);
    await expect
      .poll(async () => (await call("count_teas", {})).result?.content)
      .toEqual([{ type: "text", text: "There are 3 teas." }]);
    expect((await call("find_tea", { name: "oo" })).result?.structuredContent).toEqual({ found: ["oolong"] });
  });
});

describe("what a tool throws", () => {
  const script =
    "document.modelContext.getTools().then(([tool]) => document.modelContext.executeTool(tool)).then(JSON.parse)";
  const result = { isError: true, content: [{ type: "text", text: "The shelf is empty." }] };

  test("with the function, where the browser has a model context", async () => {
    const tab = await run(native, block("js", "reportToolErrors()"));
    await ranWhole(tab);
    expect(await tab.evaluate(script)).toEqual(result);
  });

  test.each(["native", "plain"] as const)("with the script tag, in a browser that is %s", async (kind) => {
    const module = block("js", "reportToolErrors()").split("reportToolErrors();")[1] ?? "";
    const tag = here(block("html", "data-tool-errors"));
    const browser = kind === "native" ? native : plain;
    const tab = await open(browser, `${tag}<script type="module">${module}\nwindow.ranWhole = true;</script>`);
    await ranWhole(tab);
    expect(await tab.evaluate(script)).toEqual(result);
  });
});

describe("React", () => {
  const sample = block("tsx", "useWebMcp");

  test("the component runs", async () => {
    const tab = await run(
      native,
      `import { createRoot } from "react-dom/client"; ${sample}
      createRoot(document.getElementById("root")).render(<Orders orders={["tea", "cup"]} />);`,
    );
    await tab.waitFor("document.body.innerText.includes('2 tools of the server')");
    expect(await namesIn(tab)).toEqual(["count_orders", "remote.add", "remote.greet"]);
    const script = "document.modelContext.getTools().then(([tool]) => document.modelContext.executeTool(tool))";
    expect(await tab.evaluate(script)).toContain("2");
  });

  test("and compiles", () => {
    expect(compileSamples("guide-webmcp", { "orders.tsx": `${sample}\nexport { Orders };` })).toEqual(["", 0]);
  });
});

test("Playwright", async () => {
  await open(native, here(block("html", "find_tea")));
  const logged: unknown[] = [];
  Object.assign(globalThis, { logOfGuide: logged });
  const executablePath = JSON.stringify(findChromium());
  const module = here(block("js", "chromium.launch"), {
    "launch({ args: [": `launch({ executablePath: ${executablePath}, args: ["--no-sandbox", "--headless=new", `,
    "http://localhost:3000": pages.url("/guide"),
    "console.log": "globalThis.logOfGuide.push",
  });
  await runModule(module);
  expect(logged).toEqual([
    expect.arrayContaining([expect.objectContaining({ name: "count_teas" })]),
    "There are 3 teas.",
  ]);
});

test("the line for an MCP client names arguments that there are", async () => {
  const { mcpServers } = JSON.parse(block("json", "mcpServers")) as { mcpServers: Record<string, { args: string[] }> };
  const [, name = "", ...options] = mcpServers["devtools"]?.args ?? [];
  const bin = fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(bin, ["--help"]);
  const names = options.map((option) => option.replace(/=.*/, ""));
  expect(names.filter((option) => !stdout.includes(option))).toEqual([]);
});

test("the tables name every option and every member of the handle, and no other", () => {
  const source = ["web-mcp-options", "web-mcp-logger"].map((file) => read(`src/webmcp/${file}.ts`)).join("\n");
  const membersOf = (name: string) =>
    Array.from(
      (new RegExp(`interface ${name} [^{]*\\{(.*?)^\\}`, "ms").exec(source)?.[1] ?? "").matchAll(
        /^ {2}(?:readonly )?(\w+)[?(:]/gm,
      ),
      ([, member = ""]) => member,
    );
  const rowsAfter = (heading: string) => {
    const [, table = ""] = guide.split(heading);
    const cells = (/(?:^\|.*\n)+/m.exec(table)?.[0] ?? "").match(/^\| `[^|]+/gm)?.join("") ?? "";
    return Array.from(cells.matchAll(/`(\w+)/g), ([, name = ""]) => name);
  };
  const options = ["WebMcpServer", "WebMcpCommonOptions", "LoggerOptions"].flatMap(membersOf);
  expect(options.length).toBeGreaterThan(15);
  expect(rowsAfter("it is in the hub's `/webmcp.js`:").toSorted()).toEqual(options.toSorted());
  expect(rowsAfter("\nThe handle:\n").toSorted()).toEqual(membersOf("WebMcpHandle").toSorted());
});

describe("what browsers say", () => {
  const rows = Array.from(
    guide.split("## When it does not work")[1]?.matchAll(/^\| [^|"]*"([^"]+)"/gm) ?? [],
    ([, said = ""]) => said,
  );
  const tool = '{ name: "one", description: "One.", execute: () => "" }';
  const provoked: Readonly<Record<string, string>> = {
    "Duplicate tool name": `document.modelContext.registerTool(${tool}).then(() => document.modelContext.registerTool(${tool}))`,
    "Invalid tool name": `document.modelContext.registerTool({ ...${tool}, name: "no/name" })`,
    "Description is required": `document.modelContext.registerTool({ ...${tool}, description: "" })`,
    "Only secure origins are allowed": `document.modelContext.registerTool(${tool}, { exposedTo: ["http://far.example"] })`,
    "Tool was executed but the invocation failed": `document.modelContext
      .registerTool({ ...${tool}, execute() { throw new Error("why"); } }).then(() => document.modelContext.getTools())
      .then(([tool]) => document.modelContext.executeTool(tool))`,
    "value is not an object": `document.modelContext.registerTool(${tool}).then(() => document.modelContext.getTools())
      .then(([tool]) => document.modelContext.executeTool(tool, "{}"))`,
    "Operation succeeded": `document.modelContext.registerTool(${tool}).then(() => document.modelContext.getTools())
      .then(([tool]) => document.modelContext.executeTool(tool)).then((text) => Promise.reject(new Error(text)))`,
    "failed for an unknown transient reason": `(async () => {
      const gone = new AbortController();
      await document.modelContext.registerTool(${tool}, { signal: gone.signal });
      const [tool] = await document.modelContext.getTools();
      gone.abort();
      await document.modelContext.executeTool(tool);
    })()`,
    "Failed to load resource": 'fetch("/mcp", { method: "POST", body: "{}" })',
    "blocked by CORS policy": `fetch("http://localhost:${"${port}"}/mcp")`,
  };

  test("every message of the table is provoked here, or stands in the sources of who says it", () => {
    const sources = filesIn("src/webmcp", "src/mcp-client", "src/page", "src/react", "src/toolbox").filter(
      (path) => !path.includes(".test"),
    );
    const said = [...sources, "node_modules/playwright-core/lib/coreBundle.js"].map(read).join("\n");
    expect(rows.length).toBeGreaterThan(Object.keys(provoked).length);
    expect(Object.keys(provoked).filter((row) => !rows.includes(row))).toEqual([]);
    expect(rows.filter((row) => !Object.hasOwn(provoked, row) && !said.includes(row))).toEqual([]);
  });

  test.each(Object.keys(provoked))("%s", async (said) => {
    const tab = await open(native, "<!doctype html><title>Empty</title>");
    const script = (provoked[said] ?? "").replace("${port}", String(pages.port));
    const reason = await tab.evaluate<string>(`(${script}).then(() => "nothing", (error) => String(error))`);
    await expect.poll(() => [reason, ...tab.console.messages.map(({ text }) => text)].join("\n")).toContain(said);
  });
});
