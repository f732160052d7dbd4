import { afterEach, beforeEach, expect, test } from "vitest";
import { createHub } from "../../hub/index.ts";
import type { Hub, HubOptions } from "../../hub/index.ts";
import { parsePolicy } from "../../policy/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { connectTestPage } from "../test-support/test-page.test-helper.ts";

type HubSettings = NonNullable<HubOptions["settings"]>;

let cli: TestIo;
let hub: Hub;

beforeEach(async () => {
  cli = createTestIo();
  const { agentToken, allowedOrigins, shellKey, allowOrigin } = cli.state;
  const shell = { key: shellKey, load: () => Promise.reject(new Error("There are no terminals.")) };
  const settings = { allowOrigin } as HubSettings;
  const policy = () => parsePolicy('{"rules":[{"tool":"pay","decision":"ask"}]}');
  hub = await createHub({ port: 0, agentToken, allowedOrigins, shell, settings, policy });
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

const inputSchema = { type: "object" } as const;
const schema = { type: "object", properties: { name: { type: "string" } } };

async function callWithQuestion(message = "Who\u202E?\u001b[2J"): Promise<void> {
  await connectTestPage({
    hub: hub.url,
    tools: [{ name: "greet", inputSchema }],
    async handle(call) {
      const ask = { type: "ask", id: call.frame.id, ask: "1", method: "elicitation/create", inPage: true } as const;
      call.say(ask, { message, requestedSchema: schema });
      await new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      return { content: [] };
    },
  });
  const headers = { Authorization: `Bearer ${cli.state.agentToken()}`, "Content-Type": "application/json" };
  void fetch(`${hub.url}/api/call/greet`, { method: "POST", headers, body: "{}" }).catch(() => {});
}

test("what waits is listed without control characters, and an origin is allowed or refused by the start of its id", async () => {
  expect(await wrote("waits")).toBe("Nothing waits for you.\n");
  const knock = async (origin: string) => {
    await fetch(`${hub.url}/pagewire/session.js`, { headers: { Origin: origin } });
  };
  await knock("https://new.example");
  void callWithQuestion();
  await expect
    .poll(async () => (JSON.parse(await wrote("waits", "--json")) as { waits: unknown[] }).waits)
    .toHaveLength(1);
  const { waits } = JSON.parse(await wrote("waits", "--json")) as { waits: { id: string }[] };
  const id = waits[0]?.id.slice(0, 8) ?? "";
  const list = await wrote("waits");
  expect(list).toContain(`${id}  question: greet of ${hub.url}, for `);
  expect(list).toContain("It asks: Who⟨U+202E⟩?⟨U+001B⟩[2J");
  expect(list).toContain("Fields: name");
  expect(await cli.run("waits", "allow", "nothing1")).toBe(1);
  expect(cli.err()).toContain('Nothing waits for you by the id "nothing1". See what waits with: npx pagewire waits');
});

test("a long question is shown whole, also as JSON", async () => {
  void callWithQuestion(`${"x".repeat(30_000)} to the end`);
  await expect.poll(() => wrote("waits")).toContain("to the end\n");
  const { waits } = JSON.parse(await wrote("waits", "--json")) as { waits: { message: string; isCut?: true }[] };
  expect([waits[0]?.message.endsWith("to the end"), waits[0]?.isCut]).toEqual([true, undefined]);
});

test.each([
  ["waits", "allow"],
  ["waits", "answer", "x"],
  ["waits", "refuse", "x", "--session"],
  ["waits", "--always"],
  ["waits", "allow", "x", "y"],
])("%s %s is explained", async (...args) => {
  expect(await cli.run(...args.filter((each) => each !== undefined))).toBe(2);
  expect(cli.err()).toContain("Write: npx pagewire waits, or: npx pagewire waits allow <id>");
});
