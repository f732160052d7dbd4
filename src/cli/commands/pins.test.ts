import { afterEach, beforeEach, expect, test } from "vitest";
import { createHub } from "../../hub/index.ts";
import type { Hub } from "../../hub/index.ts";
import { parsePolicy } from "../../policy/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { connectTestPage } from "../test-support/test-page.test-helper.ts";

let cli: TestIo;
let hub: Hub;
let origin: string;

beforeEach(async () => {
  cli = createTestIo();
  const { agentToken, allowedOrigins } = cli.state;
  const policy = () => parsePolicy('{"rules":[],"pin":"*"}');
  hub = await createHub({ port: 0, agentToken, allowedOrigins, policy });
  origin = hub.url;
  cli.state.announceHub({ url: hub.url, port: hub.port, pid: process.pid, version: "0.0.0-test" });
});
afterEach(async () => {
  await hub.close();
  cli.close();
});

async function wrote(...args: readonly string[]): Promise<string> {
  const before = cli.out().length;
  expect([await cli.run(...args), cli.err()]).toEqual([0, ""]);
  return cli.out().slice(before);
}

test("pins shows pinned tools and pending changes, accepts changes and removes pins", async () => {
  expect(await wrote("pins", "list")).toBe("Nothing is pinned.\n");
  const inputSchema = { type: "object" } as const;
  const pay = { name: "pay", description: "Pays a bill.", inputSchema };
  const first = await connectTestPage({ hub: hub.url, tools: [pay] });
  await expect.poll(() => wrote("pins", "list")).toBe(`pinned   pay of ${origin} (app test-app)\n`);
  first.close();
  const changed = { ...pay, description: "Pays\u202E everything.\u001b[2J" };
  const page = await connectTestPage({ hub: hub.url, tools: [changed, { ...pay, name: "send" }] });
  await expect.poll(() => wrote("pins", "list")).toContain("new ");
  expect((await wrote("pins", "list")).split("\n")).toEqual([
    `pinned   pay of ${origin} (app test-app)`,
    `changed  pay of ${origin} (app test-app)`,
    '  - description: "Pays a bill."',
    '  + description: "Pays everything.[2J"',
    `new      send of ${origin} (app test-app)`,
    '  + description: "Pays a bill."',
    '  + inputSchema: {"type":"object"}',
    "",
    "Accept what waits with: npx pagewire pins accept <origin> [tool]",
    "",
  ]);
  expect(JSON.parse(await wrote("pins", "list", "--json"))).toMatchObject({
    pins: [{ name: "pay" }],
    waiting: [{ name: "pay" }, { name: "send" }],
  });
  expect(await wrote("pins", "accept", origin, "send")).toBe(`Accepted send of ${origin} (app test-app).\n`);
  expect(JSON.parse(await wrote("pins", "accept", origin, "--json"))).toMatchObject({ accepted: [{ name: "pay" }] });
  expect(await wrote("pins", "remove", origin, "send")).toBe(`Forgot send of ${origin} (app test-app).\n`);
  page.close();
});

test.each([
  [["pins", "keep"], 2, "Write: npx pagewire pins list"],
  [["pins", "list", "more"], 2, "Write: npx pagewire pins list"],
  [["pins", "accept"], 2, "Name the origin"],
  [["pins", "accept", "shop"], 2, "shop"],
  [["pins", "accept", "https://shop.example"], 1, "No tool of https://shop.example waits."],
])("%j is refused with what to do", async (args, code, message) => {
  expect(await cli.run(...args)).toBe(code);
  expect(cli.err()).toContain(message);
});
