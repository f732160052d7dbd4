import { afterEach, expect, test } from "vitest";
import { printBanner } from "./hub-output.ts";
import { createPrinter } from "../common/printer.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

const url = "http://127.0.0.1:7337";
const model = { name: "openai/gpt-x", key: "OPENAI_API_KEY", note: "with the key of OPENAI_API_KEY" };
const now = new Date("2026-01-02T03:04:05Z");
const open: TestIo[] = [];

afterEach(() => open.splice(0).forEach((cli) => cli.close()));

interface Shown {
  readonly mode?: "local" | "jwt" | "team";
  readonly hasTerminals?: boolean;
  readonly json?: boolean;
  readonly signIn?: string;
  readonly demo?: string;
  readonly problem?: string;
  readonly publicUrl?: string;
}

function banner({ mode = "local", hasTerminals = false, json = false, ...more }: Shown = {}): string {
  const { publicUrl, signIn, demo, problem } = more;
  const cli = createTestIo();
  open.push(cli);
  printBanner({ url, publicUrl, signIn, demo, mode, hasTerminals, model, problem, now }, createPrinter(cli.io, json));
  return cli.out();
}

test("the banner has first the address that signs in, then the demo's", () => {
  const [signIn, demo] = [`${url}/#code=abc`, "http://127.0.0.1:7338"];
  const lines = banner({ signIn, demo }).split("\n");
  expect(lines[2]).toMatch(/^ {2}Open +http:\/\/127\.0\.0\.1:7337\/#code=abc$/);
  expect(lines[3]).toMatch(/^ +which signs you in, once, .+: npx pagewire open$/);
  expect(lines[4]).toMatch(/^ +the console, .+: npx pagewire open console$/);
  expect(lines[5]).toMatch(/^ {2}Try it +http:\/\/127\.0\.0\.1:7338\/$/);
  expect(JSON.parse(banner({ json: true, signIn, demo }))).toMatchObject({ open: signIn, demo });
});

test("without a code and a demo, the banner has the command that signs in", () => {
  expect(banner()).toMatch(/^ {2}Open +npx pagewire open$/m);
  expect(banner({ mode: "jwt" })).toMatch(/^ {2}Open +PAGEWIRE_TOKEN=<token> npx pagewire open$/m);
  expect(banner()).not.toMatch(/Try it|#code/);
  expect(Object.keys(JSON.parse(banner({ json: true })) as object)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(open|demo)$/)]),
  );
});

test("the banner has the command and the address for MCP", () => {
  expect(banner()).toMatch(/^ {2}Through MCP +npx pagewire connect claude-code\n +http:\S+:7337\/mcp$/m);
  expect(banner({ mode: "jwt" })).toContain("PAGEWIRE_TOKEN=<token> npx pagewire connect claude-code");
  expect(JSON.parse(banner({ json: true }))).toMatchObject({ event: "hub-listening", url, mcp: `${url}/mcp` });
});

test("behind a proxy, the banner has the public address, for pages and MCP clients too", () => {
  const publicUrl = "https://hub.example.com";
  const text = banner({ mode: "jwt", publicUrl });
  expect(text.split("\n")[0]).toContain(`listens on ${url}, for others ${publicUrl}`);
  expect(text).toContain(`<script src="${publicUrl}/pagewire.js"`);
  expect(text).toContain(`${publicUrl}/mcp`);
  const about = { url, public: publicUrl, script: `${publicUrl}/pagewire.js`, mcp: `${publicUrl}/mcp` };
  expect(JSON.parse(banner({ json: true, publicUrl }))).toMatchObject(about);
});

test("the banner has the reason if the hub cannot save, and nothing otherwise", () => {
  const problem = "The disk with the database /home/ada/hub.db is full.";
  expect(banner({ problem }).split("\n")[2]).toBe(`  Not saved      nothing can be saved at the moment: ${problem}`);
  expect(JSON.parse(banner({ problem, json: true }))).toMatchObject({ problem });
  expect(banner()).not.toContain("saved");
});

test("the banner has the model and the owner of its key", () => {
  expect(banner()).toMatch(/^ {2}Model +openai\/gpt-x: with the key of OPENAI_API_KEY$/m);
  expect(JSON.parse(banner({ json: true }))).toMatchObject({ model: "openai/gpt-x", key: "OPENAI_API_KEY" });
});

test("the banner has the command that opens a terminal, if the hub has terminals", () => {
  expect(banner({ hasTerminals: true })).toMatch(/^ {2}Terminals +on: npx pagewire terminal\n +each is a shell of /m);
  const jwt = banner({ hasTerminals: true, mode: "jwt" });
  expect(jwt).toContain("on: PAGEWIRE_SHELL_KEY=<token> npx pagewire terminal");
  expect(jwt).toContain("signPageToken, signAgentToken and signTerminalToken");
  expect([banner(), banner({ mode: "jwt" })].join("\n")).not.toMatch(/terminal/i);
  for (const hasTerminals of [true, false])
    expect(JSON.parse(banner({ json: true, hasTerminals }))).toMatchObject({ terminals: hasTerminals });
});

test("the banner of a hub in team mode has where people and agents sign in, and no tokens that nobody has", () => {
  const publicUrl = "https://hub.example.com";
  const text = banner({ mode: "team", publicUrl });
  expect(text).toMatch(/^ {2}Open +https:\/\/hub\.example\.com\/console, and sign in there$/m);
  expect(text).toMatch(/^ {2}For agents +npx pagewire login https:\/\/hub\.example\.com$/m);
  expect(text).not.toMatch(/PAGEWIRE_TOKEN|signPageToken/);
  expect(banner({ mode: "team" })).toMatch(/^ {2}Open +nobody can sign in here: that needs https/m);
});
