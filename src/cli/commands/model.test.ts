import { afterEach, beforeEach, expect, test } from "vitest";
import { createHub } from "../../hub/index.ts";
import type { Hub } from "../../hub/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;
let hub: Hub;
let asked: string[];

const mount = () => {
  throw new Error("no terminals here");
};

/** A provider that knows two models, of which one is down. */
const provider: typeof fetch = async (url, init) => {
  const { model = "" } = init?.body ? (JSON.parse(init.body as string) as { readonly model: string }) : {};
  asked.push(model || new URL(url as string).pathname);
  if (model === "") return Response.json({ data: [{ id: "small" }, { id: "large" }] });
  if (model === "small") return Response.json({ error: { message: "It is \u001b[2Jdown." } }, { status: 404 });
  const event = { choices: [{ delta: { content: "ready" }, finish_reason: "stop" }], usage: { total_tokens: 5 } };
  const headers = { "Content-Type": "text/event-stream" };
  return new Response(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`, { headers });
};

async function startHub(more: object = {}): Promise<Hub> {
  const { agentToken, shellKey, chooseModel } = cli.state;
  const settings = { saveModel: (name: string) => (chooseModel("openai", name), true), ...more };
  const started = await createHub({
    ...{ port: 0, agentToken, settings: settings as never },
    shell: { load: async () => mount, key: shellKey },
    ai: { provider: "openai", model: "small", apiKey: "a-key-of-this-test", fetch: provider },
  });
  cli.state.announceHub({ url: started.url, port: started.port, pid: process.pid, version: "0.0.0-test" });
  return started;
}

beforeEach(async () => {
  asked = [];
  cli = createTestIo();
  hub = await startHub();
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

test("the model is shown, listed beside its provider's others, tested and chosen, and the choice is kept", async () => {
  expect(await wrote("model")).toBe("openai/small\n");
  expect(await wrote("model", "list")).toBe("* small\n  large\n");
  expect(await cli.run("model", "test")).toBe(1);
  expect(cli.out()).toMatch(/small did not answer \(\d+ ms\): It is ⟨U\+001B⟩\[2Jdown\. \(HTTP 404\)\n$/);
  expect(await wrote("model", "use", "large")).toBe(
    "New questions go to large. Test it with: npx pagewire model test\n",
  );
  expect(await wrote("model", "test")).toMatch(/^large answered \(\d+ ms\): ready\n$/);
  expect(JSON.parse(await wrote("model", "test", "--json"))).toMatchObject({ isOk: true, model: "large", tokens: 5 });
  expect(cli.state.chosenModel("openai")).toBe("large");
  expect(asked).toEqual(["/v1/models", "small", "large", "large"]);
});

test("what answers on this machine is offered, with the command that uses it", async () => {
  const local = [
    { provider: "lmstudio", title: "LM Studio", address: "http://127.0.0.1:1234", models: ["qwen3-8b", "\u001b[2Jx"] },
  ];
  await hub.close();
  hub = await startHub({ localModels: async () => local });
  expect(await cli.run("model", "list")).toBe(0);
  expect(cli.out()).toBe(
    "* small\n  large\nOn this machine, LM Studio at http://127.0.0.1:1234 has:\n  lmstudio/qwen3-8b\n  lmstudio/⟨U+001B⟩[2Jx\n",
  );
  expect(cli.err()).toBe("Use one with: npx pagewire restart --model lmstudio/qwen3-8b\n");
  const before = cli.out().length;
  await cli.run("model", "list", "--json");
  expect(JSON.parse(cli.out().slice(before))).toMatchObject({ local });
});

test.each([
  [["model", "use"], 2, "Write: npx pagewire model"],
  [["model", "list", "x"], 2, "Write: npx pagewire model"],
  [["model", "constructor"], 2, "Write: npx pagewire model"],
  [["model", "test", "dear"], 1, "Only the hub's owner tests a model other than small."],
  [["model", "use", "a b"], 1, "The body must be a JSON object"],
])("%j is refused with what to do", async (args, code, message) => {
  expect(await cli.run(...args)).toBe(code);
  expect(cli.err()).toContain(message);
});

test("nothing is decided for always, and what is not decided is not taken back", async () => {
  expect(await wrote("consents", "list")).toBe("Nothing is allowed or refused for always.\n");
  expect(await wrote("consents", "remove", "https://shop.example", "pay")).toBe(
    "Nothing is decided about pay of https://shop.example.\n",
  );
  expect(JSON.parse(await wrote("consents", "list", "--json"))).toEqual({ consents: [] });
  expect([await cli.run("consents", "list", "x"), await cli.run("consents", "remove")]).toEqual([2, 2]);
});

test("connect --print prints only the lines, of all clients or of one, with the state directory where it is another", async () => {
  const all = await wrote("connect", "--print");
  expect(all).toMatch(/^# Claude Code\nclaude mcp add --scope user --env PAGEWIRE_HOME=/);
  const line = await wrote("connect", "codex", "--print");
  expect(all).toContain(line);
  expect(line).toMatch(/^codex mcp add pagewire --env PAGEWIRE_HOME=.* mcp\n$/);
  const { clients } = JSON.parse(await wrote("connect", "--print", "--json")) as { clients: { id: string }[] };
  const ids = clients.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["claude-code", "cursor", "vscode", "codex", "gemini-cli"]));
  expect(ids.slice(-2)).toEqual(["inspector", "other"]);
  expect(await cli.run("connect", "codex", "--print", "--write")).toBe(2);
});
