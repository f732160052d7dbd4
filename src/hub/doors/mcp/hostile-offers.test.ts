import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, helloOf, openPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { modern, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const inputSchema = { type: "object" } as const;
const bad = { name: "bad", inputSchema };
const beside = {
  tools: { name: "beside", inputSchema },
  prompts: { name: "beside" },
  resources: { uri: "test://beside", name: "beside" },
  resourceTemplates: { uriTemplate: "test://beside/{x}", name: "beside" },
};
type Kind = keyof typeof beside;

/** Lists items of one kind, by the clients of both SDKs and all eras. */
async function listers(hub: TestHub) {
  const older = await connectOlderClient(hub);
  const newer = await Promise.all(revisions.map((revision) => connectClient(hub, { revision })));
  return (kind: Kind) =>
    Promise.all(
      [older, ...newer].map((client) => {
        const lists = {
          tools: () => client.listTools(),
          prompts: () => client.listPrompts(),
          resources: () => client.listResources(),
          resourceTemplates: () => client.listResourceTemplates(),
        };
        return lists[kind]();
      }),
    );
}

/** Offers items of one kind; returns whether the hub accepted them. */
async function offer(page: TestPage, kind: Kind, items: readonly object[]): Promise<boolean> {
  page.send({ type: "offer" }, JSON.stringify({ [kind]: items }));
  await page.settled();
  return !page.received.some(({ frame }) => frame.type === "refused");
}

async function greet(hub: TestHub, tab: string): Promise<TestPage> {
  const page = await openPage(hub.url);
  page.send(helloOf({ app: tab, tab }));
  await page.next("welcome");
  return page;
}

/** Values that are not a valid icon, text, flag, number or list in most of their positions. */
const wrong = [null, true, 5, -1, "text", [], [5], [null], {}, { a: 1 }, [{}]];

/** Every field of an item that has a defined form, in each of its positions. */
const fields: Readonly<Record<Kind, readonly ((value: unknown) => object)[]>> = {
  tools: [
    ...["title", "description", "annotations", "icons", "_meta", "outputSchema", "execution", "other"].map(
      (name) => (value: unknown) => ({ ...bad, [name]: value }),
    ),
    ...["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map(
      (name) => (value: unknown) => ({
        ...bad,
        annotations: { [name]: value },
      }),
    ),
    ...["properties", "required", "$schema", "$ref", "additionalProperties", "$defs"].flatMap((name) => [
      (value: unknown) => ({ ...bad, inputSchema: { ...inputSchema, [name]: value } }),
      (value: unknown) => ({ ...bad, outputSchema: { ...inputSchema, [name]: value } }),
    ]),
    (value) => ({ ...bad, inputSchema: { ...inputSchema, properties: { a: value } } }),
    (value) => ({ ...bad, outputSchema: { ...inputSchema, properties: { a: value } } }),
    (value) => ({ ...bad, outputSchema: { type: value } }),
    (value) => ({ ...bad, execution: { taskSupport: value } }),
    ...icons(bad),
  ],
  prompts: [
    ...["title", "description", "arguments", "icons", "_meta"].map((name) => (value: unknown) => ({
      name: "bad",
      [name]: value,
    })),
    ...["title", "description", "required"].map((name) => (value: unknown) => ({
      name: "bad",
      arguments: [{ name: "a", [name]: value }],
    })),
    ...icons({ name: "bad" }),
  ],
  resources: ofResources({ uri: "test://bad", name: "bad" }),
  resourceTemplates: ofResources({ uriTemplate: "test://bad/{x}", name: "bad" }),
};

function icons(item: object) {
  return ["mimeType", "sizes", "theme"].map((name) => (value: unknown) => ({
    ...item,
    icons: [{ src: "data:,", [name]: value }],
  }));
}

function ofResources(item: object) {
  return [
    ...["title", "description", "mimeType", "size", "annotations", "icons", "_meta"].map(
      (name) => (value: unknown) => ({ ...item, [name]: value }),
    ),
    ...["audience", "priority", "lastModified"].map((name) => (value: unknown) => ({
      ...item,
      annotations: { [name]: value },
    })),
    ...icons(item),
  ];
}

/** As many items as one page may offer, and a well-formed one. */
const mostAtOnce = 255;

const nameOf = (item: object) =>
  (item as { uri?: string; uriTemplate?: string; name: string }).uri ?? (item as { name: string }).name;

/** The same item under its own name. */
function withIndex(item: object, index: number): object {
  return JSON.parse(JSON.stringify(item).replace(/"(bad|test:\/\/bad)/g, `"$1-${index}`)) as object;
}

test("M108: a malformed field breaks no client's list: it is left out, or its page is refused", async () => {
  const hub = await startHub({ limits: { graceTime: 0 } });
  await connectPage(hub.url, { app: "other", tab: "other", tools: ["other"] });
  const list = await listers(hub);
  let taken = 0;
  let refused = 0;
  for (const [kind, places] of Object.entries(fields) as [Kind, (typeof fields)[Kind]][]) {
    const items = places.flatMap((place) => wrong.map(place)).map((item, index) => withIndex(item, index));
    const known: object[] = [];
    let page = await greet(hub, "bad");
    for (const item of items) {
      const isTaken = await offer(page, kind, [item]);
      if (isTaken) known.push(item);
      else page = await greet(hub, "bad");
    }
    taken += known.length;
    refused += items.length - known.length;
    for (let first = 0; first < known.length; first += mostAtOnce) {
      const some = known.slice(first, first + mostAtOnce);
      expect(await offer(page, kind, [...some, beside[kind]])).toBe(true);
      for (const found of await list(kind)) {
        const text = JSON.stringify(found);
        const others = kind === "tools" ? [{ name: "other" }] : [];
        for (const item of [...some, beside[kind], ...others]) expect(text).toContain(JSON.stringify(nameOf(item)));
      }
    }
    page.socket.terminate();
  }
  expect([taken > 300, refused > 100]).toEqual([true, true]);
  recordFault("mcp", {
    fault:
      "Tools, prompts, resources and templates with every field of a wrong form, listed by the clients of both SDKs",
    expected: "every list is read, with all other items",
    observed: "every list is read, with all other items",
    count: taken + refused,
  });
});

/** Output schemas that some validator cannot compile, or that would change its behaviour. */
const unsound: readonly JsonObject[] = [
  { properties: { a: { $ref: "https://evil.example/schema" } } },
  { properties: { a: { $ref: "#/$defs/none" } } },
  { properties: { a: { $ref: "other" } } },
  { $ref: "file:///etc/passwd" },
  { properties: { a: { pattern: "[" } } },
  { properties: { a: { pattern: "\\-" } } },
  { patternProperties: { "[": {} } },
  { properties: { a: { $id: "x" }, b: { $id: "x", type: "string" } } },
  { properties: { a: { id: "x" } } },
  { $async: true },
  { properties: { a: { type: "nothing" } } },
  { properties: { a: { enum: [] } } },
  { properties: { a: { minimum: "1" } } },
  { properties: { a: { nullable: true } } },
  { properties: { a: { items: 5 } } },
  { allOf: {} },
  { if: 5 },
];

test("an output schema that a client cannot compile breaks no list; its tool is listed without it, and works", async () => {
  const hub = await startHub({ limits: { graceTime: 0 } });
  await connectPage(hub.url, { app: "other", tab: "other", tools: ["other"] });
  const list = await listers(hub);
  const page = await connectPage(hub.url, { app: "bad", tab: "bad", handle: byHand });
  for (const schema of unsound) {
    expect(await offer(page, "tools", [{ ...bad, outputSchema: { ...inputSchema, ...schema } }])).toBe(true);
    for (const { tools } of (await list("tools")) as { tools: { name: string; outputSchema?: unknown }[] }[]) {
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["bad", "other"]));
      expect(
        tools.find(({ name }) => name === "bad"),
        JSON.stringify(schema),
      ).not.toHaveProperty("outputSchema");
    }
  }
  const sent = sendRaw(hub, modern("tools/call", { name: "bad", arguments: {} }));
  page.result((await page.nextCall()).id, plainResult);
  expect((await sent.whole()).messages).toMatchObject([{ result: JSON.parse(plainResult) }]);
});

test("an output schema with the address of another page's decides nothing about that page's results", async () => {
  const hub = await startHub();
  const $id = "https://shop.example/schema";
  const schemaOf = (type: string) => ({ ...inputSchema, $id, properties: { a: { type } }, required: ["a"] });
  await connectPage(hub.url, {
    app: "evil",
    tab: "evil",
    tools: [{ name: "aaa", inputSchema, outputSchema: schemaOf("number") }],
  });
  await connectPage(hub.url, {
    app: "shop",
    tab: "shop",
    tools: [{ name: "zzz", inputSchema, outputSchema: schemaOf("string") }],
    handle: ({ id }, page) => page.result(id, '{"content":[],"structuredContent":{"a":"text"}}'),
  });
  const client = await connectOlderClient(hub);
  await client.listTools();
  expect(await client.callTool({ name: "zzz", arguments: {} })).toMatchObject({ structuredContent: { a: "text" } });
});

test("a page that abuses headers for arguments makes no client send a header of its choice", async () => {
  // The SDK logs each tool that it leaves out.
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  onTestFinished(() => warn.mockRestore());
  const hub = await startHub();
  const declare = (header: unknown) => ({
    ...inputSchema,
    properties: { a: { type: "string", "x-mcp-header": header } },
  });
  const headers = [
    "Authorization",
    "Host",
    "Cookie",
    "Mcp-Name",
    "a\r\nX-Evil: 1",
    "",
    " ",
    "a b",
    "\u00e9",
    5,
    null,
    {},
    "x".repeat(5000),
  ];
  const page = await connectPage(hub.url);
  const heard = new Set<string>();
  const fetchThatTells: typeof fetch = (input, init) => {
    for (const name of new Headers(init?.headers).keys()) heard.add(name);
    return fetch(input, init);
  };
  const requestInit = { headers: { Authorization: `Bearer ${hub.token}` } };
  for (const [index, header] of headers.entries()) {
    await offer(page, "tools", [{ name: `tool${index}`, inputSchema: declare(header) }, beside.tools]);
    const client = new Client({ name: "c", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", hub.url), {
      requestInit,
      fetch: fetchThatTells,
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("beside");
    const call = { name: `tool${index}`, arguments: { a: "b\r\nX-Evil: 1" } };
    // The client may refuse to call such a tool.
    await client.callTool(call).catch((error: unknown) => error);
    await client.close();
  }
  const honest = /^(accept|authorization|content-type|mcp-(method|name|protocol-version|param-[\w-]+))$/;
  expect([...heard].filter((name) => !honest.test(name))).toEqual([]);
  expect(heard.size).toBeGreaterThan(5);
  expect(await hub.metric("pagewire_tabs")).toBe(1);
});
