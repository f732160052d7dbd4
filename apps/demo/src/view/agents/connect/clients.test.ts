import { expect, test } from "vitest";
import { clientChoices } from "./clients.ts";
import type { ConnectPlace } from "./clients.ts";

const here: ConnectPlace = { hub: "http://127.0.0.1:7337", isWindows: false };
const codesOf = (place: ConnectPlace) =>
  Object.fromEntries(clientChoices(place).map(({ id, steps }) => [id, steps.map(({ code }) => code)]));

test("D39: every client has its line, and others have a program and the hub's address", () => {
  expect(codesOf(here)).toEqual({
    "claude-code": ["claude mcp add pagewire -- npx -y pagewire mcp"],
    cursor: ["npx pagewire connect cursor --write"],
    vscode: ["npx pagewire connect vscode --write"],
    codex: ["codex mcp add pagewire -- npx -y pagewire mcp"],
    inspector: ["npx @modelcontextprotocol/inspector --cli npx -y pagewire mcp --method tools/list"],
    other: ["npx -y pagewire mcp", "http://127.0.0.1:7337/mcp"],
  });
  for (const hub of ["http://localhost:7337", "http://[::1]:7337", "http://demo.localhost:7337"]) {
    expect(codesOf({ ...here, hub })).toEqual({ ...codesOf(here), other: ["npx -y pagewire mcp", `${hub}/mcp`] });
  }
});

test("D40: for a hub on another machine each line names it, and each client is told what it needs", () => {
  const there = { ...here, hub: "https://hub.example.com" };
  for (const codes of Object.values(codesOf(there))) expect(codes.join(" ")).toContain("https://hub.example.com");
  expect(codesOf(there)["cursor"]).toEqual(["npx pagewire connect cursor --write --hub https://hub.example.com"]);
  for (const { afterwards } of clientChoices(there)) expect(afterwards).toContain("PAGEWIRE_TOKEN");
});

test("D40: on Windows npx is started through cmd where a client cannot start it by itself", () => {
  const codes = codesOf({ ...here, isWindows: true });
  expect(codes["claude-code"]).toEqual(["claude mcp add pagewire -- cmd /c npx -y pagewire mcp"]);
  expect(codes["codex"]).toEqual(["codex mcp add pagewire -- cmd /c npx -y pagewire mcp"]);
  expect(codes["inspector"]).toEqual(codesOf(here)["inspector"]);
});
