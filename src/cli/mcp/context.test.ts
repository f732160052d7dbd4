// `pagewire mcp` serves the hub of a context: real processes, a real identity provider, a real hub, and the SDK's client.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { certificate } from "../../../test/support/certificates.ts";
import { connectPage, pageTokenOf } from "../../../test/support/identity-provider.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import type { SignInWorld } from "../test-support/sign-in-world.test-helper.ts";

afterAll(removeCommand);

async function connect(world: SignInWorld, args: readonly string[]): Promise<Client> {
  const { command, ...rest } = await world.commandLine(["mcp", ...args]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, ...rest, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool of ada's page. */
async function greet(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "greet", arguments: {} });
  return (content as unknown as readonly [{ readonly text: string }])[0].text;
}

async function openPage({ hub, team }: SignInWorld, tools: readonly string[]) {
  const token = await pageTokenOf(team, "acme/ada");
  return connectPage(hub.url, { token, ca: certificate.cert, tools });
}

test("CL67: `pagewire mcp --context` brings the context's token, and another one when the hub refuses it", async () => {
  const world = await startSignInWorld();
  await world.login("--context", "acme");
  await openPage(world, ["greet"]);
  const client = await connect(world, ["--context", "acme"]);
  const { access } = world.kept().tokens;
  expect(await greet(client)).toBe("done");
  expect(world.kept().tokens.access).toBe(access);
  world.spoil();
  expect(await greet(client)).toBe("done");
  expect(world.kept().tokens.access).not.toBe(access);
  await world.run("logout", "--context", "acme");
  await expect(greet(client)).rejects.toThrow("The context acme is signed out. Sign in with: npx pagewire login");
});

test("CL67: `pagewire mcp` runs for longer than its token: calls and changes of the tools go through without a person", async () => {
  const world = await startSignInWorld({ ttl: 2 });
  await world.login("--context", "acme");
  await openPage(world, ["greet"]);
  const client = await connect(world, ["--context", "acme"]);
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  expect(await greet(client)).toBe("done");
  await world.untilRefused(world.kept().tokens.access);
  expect(await greet(client)).toBe("done");
  await openPage(world, ["greet", "another"]);
  await expect.poll(() => changes, { timeout: 30_000 }).toBeGreaterThan(0);
});

test("CL70: `pagewire mcp` does not follow the context in use, and `connect` writes the context into its line", async () => {
  const world = await startSignInWorld();
  await world.login("--context", "acme");
  const running = await world.start(["mcp", "--no-start"]);
  await running.wrote(
    /Serves the hub of this machine, not that of the context in use, acme\. For that one: npx pagewire mcp --context acme/,
  );
  const io = createTestIo({ home: world.home });
  expect(await io.run("connect", "cursor", "--json")).toBe(0);
  const { stdio, http } = JSON.parse(io.out()) as { stdio: { args: string[]; env: object }; http: { url: string } };
  expect(stdio.args.slice(-3)).toEqual(["mcp", "--context", "acme"]);
  expect([http.url, JSON.stringify(JSON.parse(io.out())).includes("Bearer")]).toEqual([`${world.hub.url}/mcp`, false]);
});
