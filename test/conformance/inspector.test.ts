// The MCP Inspector's command line, used as a person would to inspect a hub.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findSuiteNode } from "../../scripts/lib/find-suite-node.mjs";
import { createStage } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";

const program = fileURLToPath(
  new URL("./node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);

let stage: Stage;

beforeAll(async () => {
  stage = await createStage("inspector");
  await stage.openFixture();
});

afterAll(() => stage?.close());

/** Runs one method. The Inspector writes files to the home folder: here the hub's, which is removed. */
async function inspect(...parameters: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    findSuiteNode(),
    [
      ...[program, "--cli", `${stage.hub.url}/mcp`, "--transport", "http"],
      ...["--header", `Authorization: Bearer ${stage.token}`, ...parameters],
    ],
    { env: { ...process.env, HOME: stage.hub.home } },
  );
  return JSON.parse(stdout);
}

test("the Inspector lists a page's tools", async () => {
  const { tools } = (await inspect("--method", "tools/list")) as {
    readonly tools: readonly { readonly name: string }[];
  };
  expect(tools.map(({ name }) => name)).toContain("test_simple_text");
});

test("the Inspector calls a page's tool", async () => {
  const call = ["--method", "tools/call", "--tool-name", "tagged_steps", "--tool-arg", "tag=seen"];
  expect(await inspect(...call)).toMatchObject({ content: [{ type: "text", text: "seen" }] });
});
