// `npm run newcomer`: the way of a newcomer, from a clone to the first answer, in a real browser, with the time
// of each step. It clones what is committed here into a folder of its own, and leaves nothing behind. With `--pictures <folder>`
// it photographs what they see.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { findChromium } from "./find-chromium.mjs";
import { root } from "./lib/root.mjs";

/** Seconds to the first answer. */
const bar = 90;
/** Milliseconds for any one step. */
const patience = 300_000;

const { values } = parseArgs({ options: { pictures: { type: "string" } } });
const folder = mkdtempSync(join(tmpdir(), "pagewire-newcomer-"));
/** @type {(() => unknown)[]} */
const undo = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
let isUndone;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => void cleanUp().then(() => process.exit(130)));

const startedAt = performance.now();
let lastAt = startedAt;

try {
  const link = await startFromClone();
  await askFirstQuestion(link);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`From the clone to the first answer: ${seconds.toFixed(1)} s. The bar is ${bar} s.`);
  const load = (loadavg()[0] ?? 0) / availableParallelism();
  if (load > 1.5)
    console.log(`This machine had ${load.toFixed(1)} times as much to do as it can: measure again when it is idle.`);
  if (seconds > bar) process.exitCode = 1;
} catch (error) {
  // A browser that is closed while it is asked is no news after Ctrl-C.
  if (!isUndone) console.error(error);
  process.exitCode ??= 1;
} finally {
  await cleanUp();
}

/** Clones, runs `npm start`, and returns the link that it prints. */
async function startFromClone() {
  const clone = join(folder, "pagewire");
  execFileSync("git", ["clone", "--quiet", root, clone], { stdio: ["ignore", "inherit", "inherit"] });
  done("git clone");
  const hub = spawn("npm", ["start", "--", "--port", "0"], {
    cwd: clone,
    env: { ...newcomersEnvironment(), PAGEWIRE_HOME: join(folder, "home") },
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, which ends with everything that npm started.
    detached: process.platform !== "win32",
    shell: process.platform === "win32",
  });
  undo.push(() => end(hub));
  for await (const line of createInterface({ input: hub.stdout })) {
    if (line === "Building") done("npm start: installed");
    const [link] = /http:\/\/\S+#code=\S+/.exec(line) ?? [];
    if (link === undefined) continue;
    hub.stdout.resume();
    done("npm start: built, and the link printed");
    return link;
  }
  throw new Error("npm start ended before it printed a link.");
}

/** A machine on which nothing is set up for this: no model's key, no hub, and none of the variables of `npm run`. */
function newcomersEnvironment() {
  const given = Object.entries(process.env).filter(
    ([name]) => !/^PAGEWIRE_|_API_KEY$|^npm_(?!config_(registry|cache|.*proxy)$)|^INIT_CWD$/i.test(name),
  );
  return Object.fromEntries(given);
}

/** Opens the link, the demo by the home's own button, and asks what the home suggests. */
async function askFirstQuestion(link) {
  const executablePath = findChromium();
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox"] });
  undo.push(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(patience);
  const home = await context.newPage();
  await home.goto(link);
  await home.getByRole("textbox").first().waitFor();
  done("the link opened: home");
  await photograph(home, "home");

  const [demo] = await Promise.all([
    context.waitForEvent("page"),
    home.getByRole("link", { name: "Open the demo" }).first().click(),
  ]);
  await demo.waitForLoadState();
  await home.bringToFront();
  const starter = home.locator(".suggestions button").first();
  await starter.waitFor();
  done("the demo opened by its button: starters at home");
  await photograph(home, "starters");

  const question = (await starter.innerText()).trim();
  await starter.click();
  // A starter may ask at once, or be what the field holds.
  const field = home.getByRole("textbox").first();
  if ((await field.inputValue()) !== "") await field.press("Enter");
  await home.getByRole("button", { name: "Copy the answer" }).first().waitFor();
  done(`answered: ${question}`);
  await photograph(home, "answer");
}

async function photograph(page, name) {
  if (values.pictures === undefined) return;
  mkdirSync(values.pictures, { recursive: true });
  await page.screenshot({ path: join(resolve(values.pictures), `${name}.png`), animations: "disabled" });
}

/** Prints the time of the step that has ended. */
function done(step) {
  const now = performance.now();
  const seconds = (from) => `${((now - from) / 1000).toFixed(1)} s`;
  console.log(`${seconds(startedAt).padStart(8)}  ${`+${seconds(lastAt)}`.padStart(8)}  ${step}`);
  lastAt = now;
}

/** Undoes everything, the last first; once. */
function cleanUp() {
  isUndone ??= (async () => {
    for (const step of undo.reverse())
      try {
        await step();
      } catch (error) {
        console.error(error);
      }
  })();
  return isUndone;
}

/** Stops npm and everything that it started, by their group. */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return endGroup(child, "SIGKILL");
  const exited = new Promise((finish) => child.once("exit", finish));
  endGroup(child, "SIGINT");
  const force = setTimeout(() => endGroup(child, "SIGKILL"), 10_000);
  await exited;
  clearTimeout(force);
  endGroup(child, "SIGKILL");
}

function endGroup({ pid }, signal) {
  try {
    if (process.platform === "win32") execFileSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" });
    else process.kill(-pid, signal);
  } catch {
    // Everything in it has ended.
  }
}
