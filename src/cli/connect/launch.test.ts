import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isOwnCommand, launchFor, ownInstallation } from "./launch.ts";
import type { LaunchOptions } from "./launch.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pagewire-launch-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const npx = { command: "npx", args: ["-y", "pagewire"], isLocal: false };

function install(...path: readonly string[]): { root: string; script: string } {
  const root = join(folder, ...path, "node_modules", "pagewire");
  const script = join(root, "dist", "cli", "main.js");
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(script, "");
  return { root, script };
}

function launch(options: Partial<LaunchOptions> & { readonly from: { root: string; script: string } }) {
  const { from, ...given } = options;
  const installation = { ...from, node: "/usr/bin/node" };
  const defaults = { scope: "project", project: folder, environment: {}, needsCmd: false, isAbsolute: false } as const;
  return launchFor({ ...defaults, installation, ...given });
}

test("a project with the package, or in a folder below one, starts it by npx", () => {
  const from = install("shop");
  mkdirSync(join(folder, "shop", "packages", "web"), { recursive: true });
  for (const project of [join(folder, "shop"), join(folder, "shop", "packages", "web")]) {
    expect(launch({ from, project })).toEqual(npx);
  }
});

test("a package of one project is started by its full path from everywhere else", () => {
  const from = install("shop");
  const full = { command: "/usr/bin/node", args: [from.script], isLocal: true };
  mkdirSync(join(folder, "other"));
  expect(launch({ from, project: join(folder, "other") })).toEqual(full);
  expect(launch({ from, scope: "user", project: join(folder, "shop") })).toEqual(full);
  expect(launch({ from, project: join(folder, "shop"), isAbsolute: true })).toEqual(full);
});

test("a global package, or one that npx fetched, is started by npx", () => {
  const from = install("lib");
  const [bin, windows] = [join(folder, "bin"), join(folder, "lib")];
  mkdirSync(bin);
  symlinkSync(from.script, join(bin, "pagewire"));
  // npm on Windows writes a script next to the packages.
  writeFileSync(join(windows, "pagewire"), "#!/bin/sh");
  for (const path of [bin, windows]) {
    const environment = { PATH: ["/nowhere", path].join(delimiter) };
    expect(launch({ from, scope: "user", environment })).toEqual(npx);
  }
  expect(launch({ from: install("_npx", "0a1b"), scope: "user" })).toEqual(npx);
});

test("folders that npx and npm add to PATH are ignored, and so is another program of that name", () => {
  const from = install("shop");
  const own = join(folder, "shop", "node_modules", ".bin");
  const strange = join(folder, "strange");
  for (const bin of [own, strange]) mkdirSync(bin);
  symlinkSync(from.script, join(own, "pagewire"));
  writeFileSync(join(strange, "pagewire"), "#!/bin/sh");
  const environment = { PATH: [own, strange].join(delimiter) };
  expect(launch({ from, scope: "user", environment })).toMatchObject({ isLocal: true });
});

test("npx is started through cmd if a client needs that, and Node never is", () => {
  const from = install("shop");
  const project = join(folder, "shop");
  expect(launch({ from, project, needsCmd: true })).toEqual({
    command: "cmd",
    args: ["/c", "npx", "-y", "pagewire"],
    isLocal: false,
  });
  expect(launch({ from, project, needsCmd: true, isAbsolute: true })).toMatchObject({ command: "/usr/bin/node" });
});

test("the program is that of the package's manifest", () => {
  expect(ownInstallation()).toEqual({
    root: process.cwd(),
    script: join(process.cwd(), "dist", "cli", "main.js"),
    node: process.execPath,
  });
});

const home = { PAGEWIRE_HOME: "/state" };
const npxMcp = { command: "npx", args: ["-y", "pagewire", "mcp"] };
const place = { environment: home, platform: "linux", homeDirectory: "/home/a", project: "/shop" };

test.each([
  npxMcp,
  { ...npxMcp, env: home },
  { ...npxMcp, args: [...npxMcp.args, "--tab", "Xb3fQ0aZ19kLmN2c", "--hub", "http://127.0.0.1:4650"] },
  { command: "cmd", args: ["/c", "npx", ...npxMcp.args, "--hub", "https://[::1]:4650/a/"] },
  { command: ownInstallation().node, args: [ownInstallation().script, "mcp"] },
])("an entry that connect writes is its own: %j", (entry) => {
  expect(isOwnCommand(entry, place)).toBe(true);
});

test.each([
  { command: "npx", args: ["-y", "pagewire"] },
  { command: "npx", args: ["-y", "evil", "mcp"] },
  { command: "cmd", args: ["/c", "npx", ...npxMcp.args, "&", "calc"] },
  { command: "cmd", args: ["/c", "npx", ...npxMcp.args, "--hub", "http://127.0.0.1/&calc"] },
  { ...npxMcp, args: [...npxMcp.args, "--tab", "a", "more"] },
  { ...npxMcp, args: [...npxMcp.args, "--tab=a"] },
  { ...npxMcp, args: [...npxMcp.args, "--hub", "https://evil.example"] },
  { ...npxMcp, args: [...npxMcp.args, "--hub", { a: 1 }] },
  { ...npxMcp, env: { PAGEWIRE_HOME: "/shop/state" } },
  { ...npxMcp, env: { PAGEWIRE_URL: "https://evil.example" } },
  { ...npxMcp, env: [] },
  { args: npxMcp.args },
])("an entry that sets anything else is not: %j", (entry) => {
  expect(isOwnCommand(entry, place)).toBe(false);
});
