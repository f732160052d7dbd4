// `pagewire mcp` serves the hub of a context: real processes, a real identity provider, and the SDK's client.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import type { SignInWorld } from "../test-support/sign-in-world.test-helper.ts";

afterAll(removeCommand);

/** A hub with one tool, which says which bearer it was called with. */
function serveMcp({ hub }: SignInWorld): void {
  hub.answer = (request, response) => {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (request.url !== "/mcp" || hub.refused.has(bearer)) return false;
    void (async () => {
      let body = "";
      for await (const part of request.setEncoding("utf8")) body += String(part);
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "hub", version: "1" },
        },
        "tools/call": { content: [{ type: "text", text: bearer }] },
      };
      const result = results[method];
      const answer = result ? { result } : { error: { code: -32_601, message: "no such method" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    })();
    return true;
  };
}

async function connect(world: SignInWorld, args: readonly string[]): Promise<Client> {
  const { command, ...rest } = await world.commandLine(["mcp", ...args]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, ...rest, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

async function bearerOf(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "which", arguments: {} });
  return (content as unknown as readonly [{ readonly text: string }])[0].text;
}

test("CL67: `pagewire mcp --context` brings the context's token, and another one when the hub refuses it", async () => {
  const world = await startSignInWorld();
  await world.login("--context", "acme");
  serveMcp(world);
  const client = await connect(world, ["--context", "acme"]);
  const first = await bearerOf(client);
  expect(first).toMatch(/^eyJ/);
  expect(await bearerOf(client)).toBe(first);
  world.hub.refused.add(first);
  const second = await bearerOf(client);
  expect([second === first, second.startsWith("eyJ")]).toEqual([false, true]);
  await world.run("logout", "--context", "acme");
  await expect(bearerOf(client)).rejects.toThrow("The context acme is signed out. Sign in with: npx pagewire login");
});

test("CL70: `pagewire mcp` does not follow the context in use, and `connect` writes the context into its line", async () => {
  const world = await startSignInWorld();
  await world.login("--context", "acme");
  const running = await world.start(["mcp", "--no-start"]);
  await running.wrote(/Serves the hub of this machine\. For the context in use: npx pagewire mcp --context acme/);
  const io = createTestIo({ home: world.home });
  expect(await io.run("connect", "cursor", "--json")).toBe(0);
  const { stdio, http } = JSON.parse(io.out()) as { stdio: { args: string[]; env: object }; http: { url: string } };
  expect(stdio.args.slice(-3)).toEqual(["mcp", "--context", "acme"]);
  expect([http.url, JSON.stringify(JSON.parse(io.out())).includes("Bearer")]).toEqual([`${world.hub.url}/mcp`, false]);
});
