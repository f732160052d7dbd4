import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { examinePages } from "./examine-hub.ts";

test("the doctor reports how to open the hub's pages, and the address of the demo", async () => {
  const cli = createTestIo();
  const hub = await startTestHub(cli);
  const { demo, findings } = await examinePages({ url: hub.url, token: cli.state.agentToken() });
  expect(demo).toBe(hub.hub.demo);
  expect(findings).toEqual([{ about: "pages", state: "well", message: expect.stringContaining("npx pagewire open") }]);
  expect(findings[0]?.message).toContain(`The demo is at ${hub.hub.demo}/.`);
  await hub.close();
  cli.close();
});

test("a hub without own pages is reported as outdated", async () => {
  const server = createServer((_, response) => {
    const error = { code: "route-not-found", message: "There is nothing at /api/app." };
    response.writeHead(404).end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { demo, findings } = await examinePages({ url, token: "token" });
  expect([demo, findings[0]?.state]).toEqual([undefined, "hint"]);
  expect(findings[0]?.message).toContain("There is nothing at /api/app.");
  expect(findings[0]?.advice).toEqual(["Restart the hub after an update."]);
  server.close();
});
