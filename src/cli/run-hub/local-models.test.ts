import { expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { createHubSettings } from "./hub-sources.ts";
import { findLocalModels } from "./local-models.ts";

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

function machine(lists: Readonly<Record<string, unknown>>) {
  const asked: Asked[] = [];
  const fetchFrom = async (url: string, init: RequestInit = {}) => {
    asked.push({ url, init });
    const list = lists[new URL(url).port];
    if (list === undefined) throw new TypeError("fetch failed");
    return list instanceof Response ? list : Response.json(list);
  };
  return { asked, fetchFrom: fetchFrom as typeof fetch };
}

const ollama = { models: [{ name: "qwen3:8b" }, { name: "nomic-embed-text" }, 7, { name: "" }] };
const lmStudio = { data: [{ id: "qwen3-8b" }, { id: "text-embedding-x" }] };

test("what answers at the usual addresses is found, by its list alone", async () => {
  const { asked, fetchFrom } = machine({ 11434: ollama, 1234: lmStudio });
  expect(await findLocalModels(fetchFrom)).toEqual([
    { provider: "ollama", title: "Ollama", address: "http://127.0.0.1:11434", models: ["qwen3:8b"] },
    { provider: "lmstudio", title: "LM Studio", address: "http://127.0.0.1:1234", models: ["qwen3-8b"] },
  ]);
  expect(asked.map(({ url }) => url)).toEqual(["http://127.0.0.1:11434/api/tags", "http://127.0.0.1:1234/v1/models"]);
  for (const { init } of asked) {
    expect(Object.keys(init).toSorted()).toEqual(["redirect", "signal"]);
    expect(init.redirect).toBe("error");
  }
});

test.each([
  ["nothing", undefined],
  ["a page", new Response("<!doctype html>")],
  ["an error", new Response(JSON.stringify(lmStudio), { status: 500 })],
  ["no list", { data: {} }],
  ["null", null],
  ["an empty list", { data: [] }],
])("%s at an address is no offer", async (_, answer) => {
  const { fetchFrom } = machine({ 1234: answer });
  expect(await findLocalModels(fetchFrom)).toEqual([]);
});

test.each([
  ["rehearsal", undefined, ["ollama", "lmstudio"]],
  ["ollama/qwen3:8b", "ollama", ["lmstudio"]],
  ["openai/gpt-5.4-mini", "openai", []],
  ["none", undefined, []],
] as const)(
  "a hub with the model %s is offered those beside it, and asks for no others",
  async (name, provider, offered) => {
    const cli = createTestIo();
    const { asked, fetchFrom } = machine({ 11434: ollama, 1234: lmStudio });
    const choice = { name, ai: undefined, note: "", ...(provider && { provider }) };
    const { localModels } = createHubSettings(cli.state, choice, fetchFrom);
    expect(asked).toEqual([]);
    expect((await localModels?.())?.map((server) => server.provider)).toEqual(offered);
    expect(asked).toHaveLength(offered.length);
    // In jwt mode there is no fetch for it.
    expect(await createHubSettings(cli.state, choice).localModels?.()).toEqual([]);
    cli.close();
  },
);
