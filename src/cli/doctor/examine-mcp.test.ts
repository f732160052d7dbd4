import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { examineMcp } from "./examine-mcp.ts";
import type { Finding } from "./finding.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

test("the doctor calls the MCP endpoint with the token, and reports the number of tools", async () => {
  const hub = await startTestHub(cli);
  const {
    findings: [before],
  } = await examineMcp({ url: hub.url, token: cli.state.agentToken() });
  await hub.page();
  const {
    findings: [after],
    tools,
  } = await examineMcp({ url: hub.url, token: cli.state.agentToken() });
  const count = (finding?: Finding) => Number(/lists (\d+) tool/.exec(finding?.message ?? "")?.[1]);
  expect([before?.state, after?.state, count(after) - count(before), tools.length]).toEqual([
    "well",
    "well",
    1,
    count(after),
  ]);
  expect(await cli.run("doctor")).toBe(0);
  expect(cli.out()).toContain(
    `ok   The MCP endpoint ${hub.url}/mcp takes the token and lists ${count(after)} tools.\n`,
  );
  await hub.close();
});

test("an endpoint that refuses the token is a problem with its own exit code", async () => {
  const hub = await startTestHub(cli);
  const {
    findings: [finding],
  } = await examineMcp({ url: hub.url, token: "x".repeat(43) });
  expect(finding).toMatchObject({ about: "mcp", state: "problem", exitCode: 4 });
  expect(finding?.message).toContain("it answered with 401");
  await hub.close();
});

/** Runs the check against a fake endpoint; `message` is its request. */
async function findingsOf(answer: (message: { method: string }, response: ServerResponse) => void) {
  const server = createServer(
    (request, response) => void readJson(request).then((message) => answer(message, response)),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { findings } = await examineMcp({ url, token: "token" });
  await new Promise((resolve) => server.close(resolve));
  return findings;
}

async function readJson(request: IncomingMessage): Promise<{ method: string; params: { cursor?: string } }> {
  let text = "";
  for await (const part of request.setEncoding("utf8") as AsyncIterable<string>) text += part;
  return JSON.parse(text) as { method: string; params: { cursor?: string } };
}

const json = (response: ServerResponse, message: object) =>
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }));

test("answers may be event streams, and a list may have several pages", async () => {
  const pages = [{ tools: [{ name: "a" }, { name: "b" }], nextCursor: "2" }, { tools: [{ name: "c" }] }];
  const findings = await findingsOf(({ method }, response) => {
    const result = method === "tools/list" ? pages.shift() : { supportedVersions: [] };
    const events = [
      { jsonrpc: "2.0", method: "notifications/message" },
      { jsonrpc: "2.0", id: 1, result },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `: hello\r\nevent: message\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join(""));
  });
  expect(findings).toMatchObject([{ state: "well", message: expect.stringContaining("lists 3 tools") as string }]);
});

test.each([
  ["404", (response: ServerResponse) => response.writeHead(404).end("nothing"), "it answered with 404."],
  [
    "an error",
    (response: ServerResponse) => json(response, { error: { code: 1, message: "no" } }),
    "it answered with 200: no.",
  ],
  ["no list", (response: ServerResponse) => json(response, { result: { tools: 7 } }), "its list of tools is none."],
  [
    "an endless list",
    (response: ServerResponse) => json(response, { result: { tools: [], nextCursor: "x" } }),
    "its list of tools does not end.",
  ],
  [
    "half an answer",
    (response: ServerResponse) => response.write("{", () => response.destroy()),
    "its answer broke off",
  ],
  ["no answer", (response: ServerResponse) => response.destroy(), "socket hang up."],
])("an endpoint that gives %s is a problem with what to do", async (_, answer, why) => {
  const [finding] = await findingsOf((_message, response) => void answer(response));
  expect(finding).toMatchObject({ about: "mcp", state: "problem", exitCode: 1 });
  expect(finding?.message).toContain(why);
  expect(finding?.advice).toEqual(["Restart the hub after an update: npx pagewire"]);
});
