import { afterEach, expect, test } from "vitest";
import { printBanner } from "./hub-banner.ts";
import { createPrinter } from "./terminal/printer.ts";
import { createTestIo } from "./test-io.test-helper.ts";
import type { TestIo } from "./test-io.test-helper.ts";

const url = "http://127.0.0.1:7337";
const model = { name: "openai/gpt-x", key: "OPENAI_API_KEY", note: "with the key of OPENAI_API_KEY" };
const now = new Date("2026-01-02T03:04:05Z");
const open: TestIo[] = [];

afterEach(() => open.splice(0).forEach((cli) => cli.close()));

function banner({ isJwtMode = false, json = false } = {}): string {
  const cli = createTestIo();
  open.push(cli);
  printBanner({ url, isJwtMode, model, now }, createPrinter(cli.io, json));
  return cli.out();
}

test("CL18: the hub says how an agent is connected through MCP: by which command, and at which address", () => {
  expect(banner()).toMatch(/^ {2}Through MCP +npx pagewire connect claude-code\n +http:\S+:7337\/mcp$/m);
  expect(banner({ isJwtMode: true })).toContain("PAGEWIRE_TOKEN=<token> npx pagewire connect claude-code");
  expect(JSON.parse(banner({ json: true }))).toMatchObject({ event: "hub-listening", url, mcp: `${url}/mcp` });
});

test("CO1: the hub says which model it has and whose key that uses", () => {
  expect(banner()).toMatch(/^ {2}Model +openai\/gpt-x: with the key of OPENAI_API_KEY$/m);
  expect(JSON.parse(banner({ json: true }))).toMatchObject({ model: "openai/gpt-x", key: "OPENAI_API_KEY" });
});
