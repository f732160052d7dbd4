import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { examinePages } from "./examine-hub.ts";

test("the doctor says how the hub's own pages are opened, and where the demo is", async () => {
  const cli = createTestIo();
  const hub = await startTestHub(cli);
  const { demo, findings } = await examinePages({ url: hub.url, token: cli.state.agentToken() });
  expect(demo).toBe(hub.hub.demo);
  expect(findings).toEqual([{ about: "pages", state: "well", message: expect.stringContaining("npx pagewire open") }]);
  expect(findings[0]?.message).toContain(`The demo is at ${hub.hub.demo}/.`);
  await hub.close();
  cli.close();
});

test("of a hub that does not know its own pages it says that it is old", async () => {
  const server = createServer((_, response) => {
    const error = { code: "route-not-found", message: "There is nothing at /api/app." };
    response.writeHead(404).end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { demo, findings } = await examinePages({ url, token: "token" });
  expect([demo, findings[0]?.state]).toEqual([undefined, "hint"]);
  expect(findings[0]?.message).toContain("There is nothing at /api/app.");
  expect(findings[0]?.advice).toEqual(["Start the hub anew after an update."]);
  server.close();
});
