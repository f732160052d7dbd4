// The world in which the examples check themselves: a hub of their own, a web server for their page, and a real Chromium, which
// those that are checked in one process share.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright";
import { findChromium } from "../find-chromium.mjs";
import { root } from "./root.mjs";

const types = { ".css": "text/css", ".js": "text/javascript" };
const command = join(root, "dist", "cli", "main.js");

/** The environment and the browser before the first check, which may change the one that names the other. */
const environment = { ...process.env };
const executablePath = findChromium();

let browser;
let keepsBrowser = false;

/** Checks the examples with these names, one after the other; returns how many failed. */
export async function checkExamples(names) {
  keepsBrowser = true;
  let failed = 0;
  for (const name of names) {
    console.log(`-- ${name}`);
    process.exitCode = 0;
    try {
      await import(new URL(`../../examples/${name}/check.mjs`, import.meta.url));
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
    failed += process.exitCode;
  }
  await closeBrowser();
  return failed;
}

/** Runs a check with everything it needs, and puts it all away again; a check that throws ends the process with 1. */
export async function checkExample(check) {
  const closers = [];
  try {
    await check(await makeWorld(closers));
    console.log("ok");
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    for (const close of closers.reverse()) await close();
    if (!keepsBrowser) await closeBrowser();
  }
}

async function closeBrowser() {
  const open = await browser;
  browser = undefined;
  await open?.close();
}

/** Starts a browser with features that are off by default; without any, gives the one there is. */
async function browserWith(features, closers) {
  const start = (...flags) => chromium.launch({ executablePath, args: ["--no-sandbox", ...flags] });
  if (features.length === 0) return (browser ??= start());
  const own = await start(...features.map((feature) => `--enable-features=${feature}`));
  closers.push(() => own.close());
  return own;
}

async function makeWorld(closers) {
  const home = mkdtempSync(join(tmpdir(), "pagewire-example-"));
  closers.push(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...environment, PAGEWIRE_HOME: home };
  const hub = spawn(process.execPath, [command, "--port", "0", "--model", "rehearsal", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  closers.push(() => ended(hub, "SIGTERM"));
  const url = await listeningAt(hub);
  const token = readFileSync(join(home, "token"), "utf8").trim();

  const run = (program, ...parameters) => {
    const child = spawn(process.execPath, [program, ...parameters], {
      env: { ...env, PAGEWIRE_URL: url, PAGEWIRE_TOKEN: token },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return outputOf(child);
  };

  const post = async (path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return response;
  };

  /** The tabs that are open and connected. */
  const tabs = async () => {
    const { result } = await (await post("/api/call/list_browser_tabs", {})).json();
    return result.structuredContent.tabs.filter(({ state }) => state === "connected");
  };

  return {
    url,
    token,
    /** Runs a program of the example with the hub's address and token; gives what it printed. */
    run,
    /** Serves one page, with files beside it by their paths, at an origin of its own, which may offer tools to the hub. */
    async servePage(html, files = {}) {
      const server = createServer(({ url: path }, response) => {
        response.setHeader("Content-Type", types[extname(path)] ?? "text/html").end(files[path] ?? html);
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      closers.push(() => server.close());
      const address = `http://127.0.0.1:${server.address().port}`;
      await run(command, "allow", address);
      return address;
    },
    /** Opens a page in a context of its own, in a browser with features of it that are off by default. */
    async open(address, { features = [] } = {}) {
      const context = await (await browserWith(features, closers)).newContext();
      closers.push(() => context.close());
      const page = await context.newPage();
      await page.goto(address);
      return page;
    },
    /** Makes a terminal that belongs to the tab with this tool; gives the environment of its programs. */
    async terminalOf(tool) {
      const { tabId } = (await tabs()).find(({ tools }) => tools.includes(tool));
      const terminal = await (await post("/api/terminals", { name: "check" })).json();
      await post(`/api/terminals/${terminal.id}/attach`, { tab: tabId });
      return environmentOf({ home, url, terminal });
    },
    /** Resolves when this many open tabs have this tool: a page connects by itself, a moment after it was opened. */
    async listed(tool, count = 1) {
      while ((await tabs()).filter(({ tools }) => tools.includes(tool)).length < count) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

/** The environment of a terminal's programs, independent of the terminal in which this runs. */
function environmentOf({ home, url, terminal: { id, token } }) {
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pagewire"), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, { mode: 0o755 });
  const own = Object.entries(environment).filter(([name]) => !/^(TMUX|PAGEWIRE_|KLANGK)/.test(name));
  return {
    ...Object.fromEntries(own),
    PATH: `${bin}${delimiter}${environment.PATH}`,
    PAGEWIRE_HOME: home,
    PAGEWIRE_URL: url,
    PAGEWIRE_TERMINAL: id,
    PAGEWIRE_TERMINAL_TOKEN: token,
  };
}

async function listeningAt(hub) {
  for await (const line of createInterface({ input: hub.stdout })) {
    const { event, url } = JSON.parse(line);
    if (event === "hub-listening") return url;
  }
  throw new Error("The hub ended before it listened.");
}

function outputOf(child) {
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on("close", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}:\n${output}`)),
    );
  });
}

function ended(child, signal) {
  if (child.exitCode !== null) return undefined;
  child.kill(signal);
  return new Promise((resolve) => child.on("close", resolve));
}
