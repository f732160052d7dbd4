import { expect, test } from "vitest";
import type { Offer } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { modern, modernVersion, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { HubDoor } from "../../test-support/http.test-helper.ts";

const builtIn = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"];
const tools = (...names: string[]): Partial<Offer> => ({ tools: names.map(toolOf) });

interface Listed {
  readonly name: string;
  readonly inputSchema?: unknown;
}

async function listPage(hub: HubDoor, at: { readonly revision: string; readonly path?: string }, cursor?: string) {
  const { result = {} } = await askOnce({ hub, ...at }, "tools/list", cursor === undefined ? {} : { cursor });
  return {
    names: (result["tools"] as Listed[]).map(({ name }) => name),
    next: result["nextCursor"] as string | undefined,
  };
}

test.each(revisions)(
  "M5: to %s, the hub's own tools come first, all others by name, whoever came first",
  async (revision) => {
    const pages = [tools("b", "a"), tools("d", "c")];
    const lists = [];
    for (const offers of [pages, pages.toReversed()]) {
      const hub = await startHub();
      for (const offer of offers)
        await connectMcpPage(hub, { offer, app: offer.tools?.[0]?.name ?? "", tab: offer.tools?.[0]?.name ?? "" });
      const client = await connectClient(hub, { revision });
      lists.push((await client.listTools()).tools);
      expect((await client.listTools()).tools).toEqual(lists.at(-1));
    }
    expect(lists[0]?.map(({ name }) => name)).toEqual([...builtIn, "a", "b", "c", "d"]);
    expect(lists[1]).toEqual(lists[0]);
  },
);

test.each(revisions)("M6: to %s, a list comes in pages, and all of it is read", async (revision) => {
  const hub = await startHub({ limits: { listItems: 2 } });
  const names = ["a", "b", "c", "d", "e"];
  const offer: Partial<Offer> = {
    ...tools(...names),
    prompts: names.map((name) => ({ name })),
    resources: names.map((name) => ({ name, uri: `note:///${name}` })),
    resourceTemplates: names.map((name) => ({ name, uriTemplate: `note:///${name}/{id}` })),
  };
  await connectMcpPage(hub, { offer });
  const client = await connectClient(hub, { revision });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...builtIn, ...names]);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(names);
  expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(names);
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual(names);
});

test.each(
  revisions.flatMap((revision) => [
    { revision, whose: "all tabs" },
    { revision, whose: "one tab" },
  ]),
)(
  "M6: of $whose, what is there all the time is listed once, whatever comes and goes between two pages ($revision)",
  async ({ revision, whose }) => {
    const hub = await startHub({ limits: { listItems: 2 } });
    const page = await connectMcpPage(hub, { offer: tools("m", "e", "k", "c", "i", "g") });
    const at = { revision, path: whose === "one tab" ? `/mcp/tabs/${page.tabId}` : "/mcp" };
    const seen: string[] = [];
    let cursor: string | undefined;
    const changes = [
      ["c", "e", "g", "i", "k", "m", "a", "z"],
      ["c", "g", "i", "k", "m", "f"],
      ["c", "g", "h", "k", "m"],
      ["m", "k", "g", "c"],
    ];
    do {
      const { names, next } = await listPage(hub, at, cursor);
      seen.push(...names);
      const change = changes.shift();
      if (change) await page.offer(tools(...change));
      cursor = next;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(["c", "g", "k", "m"]));
  },
);

test.each(revisions)("M6: to %s, a cursor that the hub did not give is refused", async (revision) => {
  const hub = await startHub({ limits: { listItems: 2 } });
  for (const cursor of ["", "made up", "AAAA", "e30", "W10"]) {
    const { error } = await askOnce({ hub, revision }, "tools/list", { cursor });
    expect([error?.code, error?.data], cursor).toMatchObject([-32602, { "pagewire/code": "request-malformed" }]);
  }
});

const icons = [
  { src: "https://shop.example/i.svg", mimeType: "image/svg+xml", sizes: ["any"], theme: "dark" as const },
];
const _meta = { "shop.example/a": [1, { b: null }] };
const rich: Offer = {
  tools: [
    {
      name: "pay",
      title: "Pay",
      description: "Pays the bill.",
      inputSchema: { type: "object", properties: { tabId: { type: "string" } }, required: ["tabId"], $comment: "ä語" },
      outputSchema: { type: "object", properties: { ok: { type: "boolean" } } },
      annotations: {
        title: "P",
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: true,
      },
      icons,
      _meta,
    },
  ],
  prompts: [
    {
      name: "sum",
      title: "Sum",
      description: "d",
      arguments: [{ name: "of", title: "Of", required: true }],
      icons,
      _meta,
    },
  ],
  resources: [
    {
      uri: "note:///1",
      name: "one",
      title: "One",
      description: "d",
      mimeType: "text/plain",
      size: 3,
      annotations: { priority: 1 },
      icons,
      _meta,
    },
  ],
  resourceTemplates: [
    {
      uriTemplate: "note:///{id}",
      name: "any",
      title: "Any",
      description: "d",
      mimeType: "text/plain",
      annotations: { audience: ["user"] },
      icons,
      _meta,
    },
  ],
};

test.each(revisions)("M7: to %s, everything that a page says of what it offers is passed on", async (revision) => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { offer: rich });
  for (const path of ["/mcp", `/mcp/tabs/${page.tabId}`]) {
    for (const [method, kind] of Object.entries(listKinds)) {
      const { result } = await askOnce({ hub, revision, path }, method, {});
      const listed = result?.[kind] as Listed[];
      expect(
        listed.filter(({ name }) => !builtIn.includes(name)),
        `${method} at ${path}`,
      ).toEqual(kind === "tools" ? rich.tools?.map(ofShop) : rich[kind]);
    }
  }
});

/** A tool as clients see it: with the origin of its page. */
function ofShop<Shown extends object>(tool: Shown & { readonly _meta?: object | undefined }) {
  return { ...tool, _meta: { ...tool._meta, "pagewire/origin": shop } };
}

const listKinds = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;

test("M7: a tool of many tabs takes a tabId beside its own arguments, in the list of all tabs", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const client = await connectClient(hub);
  const work = async () => (await client.listTools()).tools.find(({ name }) => name === "work");
  expect((await work())?.inputSchema).toEqual(toolOf("work").inputSchema);
  await connectMcpPage(hub, { tab: "tab-2" });
  expect((await work())?.inputSchema.properties).toMatchObject({ tabId: { type: "string" } });
  const inTab = await connectClient(hub, { tab: page.tabId });
  expect((await inTab.listTools()).tools[0]?.inputSchema).toEqual(toolOf("work").inputSchema);
});

test.each([
  ["2024-11-05", false],
  ["2025-03-26", false],
  ["2025-06-18", true],
  ["2025-11-25", true],
  ["2026-07-28", true],
])("to a client of %s, whether output schemas are listed is %s", async (version, isListed) => {
  const hub = await startHub();
  const outputSchema = { type: "object" as const };
  const page = await connectMcpPage(hub, { offer: { tools: [{ ...toolOf("work"), title: "Work", outputSchema }] } });
  for (const path of ["/mcp", `/mcp/tabs/${page.tabId}`]) {
    const exchange =
      version === modernVersion
        ? sendRaw(hub, modern("tools/list", {}, { path }))
        : (await openSession(hub, { version, path })).request("tools/list");
    const listed = (await exchange.whole()).messages[0]?.result?.["tools"] as readonly { name: string }[];
    expect(listed.find(({ name }) => name === "work")).toEqual(
      ofShop({ ...toolOf("work"), title: "Work", ...(isListed && { outputSchema }) }),
    );
  }
});

const numbers = { type: "array", items: { type: "number" } } as const;
const maybe = { anyOf: [{ type: "object", properties: { a: { type: "number" } } }, { type: "null" }] };
const oddTools = {
  tools: [
    { ...toolOf("numbers"), outputSchema: numbers },
    { ...toolOf("maybe"), outputSchema: maybe },
  ],
};
const answers: Readonly<Record<string, unknown>> = { numbers: [1, 2], maybe: { a: 1 } };

test("output schemas that are no object's, and their answers, reach clients of 2026-07-28 as they are", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    offer: oddTools,
    handle: (call) => call.result({ content: [], structuredContent: answers[call.name] }),
  });
  const client = await connectClient(hub);
  const { tools: listed } = await client.listTools();
  for (const { name, outputSchema } of oddTools.tools) {
    expect(listed.find((tool) => tool.name === name)?.outputSchema).toEqual(outputSchema);
    expect((await client.callTool({ name, arguments: {} })).structuredContent).toEqual(answers[name]);
  }
});

test("clients of older revisions, which know objects only, find them in an object's field `result`", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    offer: oddTools,
    handle(call) {
      if ((call.payload as { progress?: boolean }).progress) call.progress(1);
      call.result({ content: [], structuredContent: answers[call.name] });
    },
  });
  const newer = await connectClient(hub, { revision: "2025-11-25" });
  const older = await connectOlderClient(hub);
  const onprogress = () => {};
  type Call = Parameters<typeof newer.callTool>[0];
  const clients = [
    { list: () => newer.listTools(), call: (call: Call) => newer.callTool(call, { onprogress }) },
    { list: () => older.listTools(), call: (call: Call) => older.callTool(call, undefined, { onprogress }) },
  ];
  for (const client of clients) {
    const { tools: listed } = await client.list();
    for (const { name, outputSchema } of oddTools.tools) {
      const result = { type: "object", properties: { result: outputSchema }, required: ["result"] };
      expect(listed.find((tool) => tool.name === name)?.outputSchema).toEqual(result);
      // Both have validated the result against the schema.
      for (const progress of [false, true]) {
        const given = await client.call({ name, arguments: { progress } });
        expect(given.structuredContent).toEqual({ result: answers[name] });
      }
    }
  }
});

test("an answer that is no object has a text beside it for clients that read nothing else", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, {
    offer: oddTools,
    handle: (call) => call.result({ content: [], structuredContent: [1, 2] }),
  });
  for (const revision of revisions) {
    const { result } = await askOnce({ hub, revision }, "tools/call", { name: "numbers", arguments: {} });
    expect(result?.["content"]).toEqual([{ type: "text", text: "[1,2]" }]);
  }
});

const weather = {
  tools: [
    {
      name: "weather",
      inputSchema: { type: "object" as const, properties: { city: { type: "string", "x-mcp-header": "City" } } },
    },
  ],
};

test("an argument that a tool wants in a header is looked for there, from clients of 2026-07-28 only", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { offer: weather, handle: (call) => call.say("sunny") });
  const call = { name: "weather", arguments: { city: "Zürich" } };
  for (const revision of revisions) {
    const client = await connectClient(hub, { revision });
    await client.listTools();
    expect(await client.callTool(call)).toMatchObject({ content: [{ text: "sunny" }] });
  }
  expect(page.calls).toHaveLength(2);
  for (const headers of [{}, { "Mcp-Param-City": "Bern" }]) {
    const { status, error, id } = await askOnce({ hub, revision: "2026-07-28", headers }, "tools/call", call);
    expect([status, error?.code, id]).toEqual([400, -32020, 1]);
  }
  expect((await askOnce({ hub, revision: "2025-11-25" }, "tools/call", call)).result).toMatchObject({
    content: [{ text: "sunny" }],
  });
  expect(page.calls).toHaveLength(3);
});
