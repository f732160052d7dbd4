import { expect, test } from "vitest";
import type { Json, Offer } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { rewritingsOf } from "./fitted-tools.ts";
import { connectClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";

const oneOf: Json[] = [
  { properties: { sku: { type: "string" } }, required: ["sku"] },
  { properties: { link: { type: "string", format: "uri" } }, required: ["link"] },
];
const odd = { type: "object", oneOf, $schema: "https://json-schema.org/draft/2020-12/schema" } as const;
const plain = { type: "object", properties: { shelf: { type: "string" } } } as const;
const marked = {
  type: "object",
  properties: { place: { type: "string", format: "uri", "x-mcp-header": "Place" } },
} as const;
const offer: Partial<Offer> = {
  tools: [
    { name: "find", description: "Finds.", inputSchema: odd },
    { name: "look", description: "Looks.", inputSchema: plain },
    { name: "read", description: "Reads.", inputSchema: marked },
  ],
};
const words = "Finds. Give exactly one of {sku} or {link}.";
const merged = { sku: { type: "string" }, link: { type: "string", format: "uri" } };
const inWords = { type: "string", description: 'JSON Schema: {"format":"uri"}' };

test.each(
  revisions.flatMap((revision) =>
    [
      ["claude-code", merged],
      ["codex-mcp-client", merged],
      ["opencode", merged],
      ["gemini-cli-mcp-client-pagewire", { ...merged, link: inWords }],
    ].map(([client, properties]) => [revision, client as string, properties] as const),
  ),
)(
  "M125: in %s, %s gets a tool in its vendor's form, and all others as they are",
  async (revision, name, properties) => {
    const hub = await startHub();
    const page = await connectMcpPage(hub, { offer });
    for (const tab of [undefined, page.tabId]) {
      const client = await connectClient(hub, { revision, name, ...(tab !== undefined && { tab }) });
      const { tools } = await client.listTools();
      const find = tools.find((tool) => tool.name === "find");
      expect(find).toMatchObject({ description: words, inputSchema: { type: "object", properties } });
      expect(find?.inputSchema).not.toHaveProperty("oneOf");
      expect(tools.find((tool) => tool.name === "look")).toMatchObject({ description: "Looks.", inputSchema: plain });
      expect(tools.find((tool) => tool.name === "read")?.inputSchema).toEqual(marked);
    }
  },
);

test.each(revisions)("M7: in %s, a client of no known vendor gets the schema as its page gave it", async (revision) => {
  const hub = await startHub();
  await connectMcpPage(hub, { offer });
  for (const name of ["tester", "copilot-cli", "qwen-cli-mcp-client-pagewire"]) {
    const client = await connectClient(hub, { revision, name });
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === "find")).toMatchObject({ description: "Finds.", inputSchema: odd });
  }
});

test("a page's developer learns which programs get a tool otherwise, and how", () => {
  const union = "oneOf at the top: one object with the arguments of all, and words";
  expect(rewritingsOf(odd)).toEqual([
    { programs: ["Claude", "Codex", "opencode"], changes: [union] },
    { programs: ["Gemini CLI"], changes: [union, "format at /link: words"] },
  ]);
  expect([rewritingsOf(plain), rewritingsOf(marked)]).toEqual([[], []]);
});

test("a client lists a tool in its vendor's form again once the page has changed it", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { offer });
  const client = await connectClient(hub, { name: "codex-mcp-client", revision: "2025-11-25" });
  await client.listTools();
  await page.offer({ tools: [{ name: "find", description: "Finds more.", inputSchema: odd }] });
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "find")?.description).toBe(
    "Finds more. Give exactly one of {sku} or {link}.",
  );
});

test("tools whose fitting would take too long are open, and say what describes them", async () => {
  const hub = await startHub();
  const inputSchema = {
    type: "object",
    not: { required: ["nothing"] },
    properties: Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`p${index}`, {}])),
  } as const;
  const tools = Array.from({ length: 40 }, (_, index) => ({ name: `big_${index}`, inputSchema }));
  const separate = (JSON.parse(JSON.stringify(tools)) as typeof tools).concat({
    name: "look",
    inputSchema: plain as never,
  });
  await connectMcpPage(hub, { offer: { tools: separate } });
  const client = await connectClient(hub, { name: "claude-code" });
  const listed = (await client.listTools()).tools.filter(({ name }) => name.startsWith("big"));
  const opened = listed.filter(({ description }) => description === "list_tab_tools says which arguments it takes.");
  expect(opened.length).toBeGreaterThan(10);
  expect(opened.length).toBeLessThan(30);
  for (const { inputSchema: schema } of opened) expect(schema).toEqual({ type: "object", properties: {} });
  for (const { inputSchema: schema } of listed) expect(schema).not.toHaveProperty("not");
  expect((await client.listTools()).tools.find(({ name }) => name === "look")?.inputSchema).toEqual(plain);
});

const header = { "x-mcp-header": "Place" };
const place = { type: "string", ...header } as const;

test.each([
  ["claude-code", { type: "object", properties: { place, größe: { type: "string", "x-mcp-header": "Size" } } }],
  ["claude-code", { ...odd, properties: { place } }],
  ["codex-mcp-client", { ...odd, properties: { place } }],
  ["opencode", { ...odd, properties: { place: { ...place, format: "uri" } } }],
  ["gemini-cli-mcp-client-pagewire", marked],
] as const)(
  "%s finds every argument that it has to repeat in a header, and its calls are taken",
  async (name, inputSchema) => {
    const hub = await startHub();
    const tools = [{ name: "work", inputSchema }] as unknown as Offer["tools"];
    await connectMcpPage(hub, { offer: { tools }, handle: (call) => call.say("done") });
    const client = await connectClient(hub, { name });
    await client.listTools();
    const call = { name: "work", arguments: { place: "Bern", größe: "L", sku: "1" } };
    expect(await client.callTool(call)).toMatchObject({ content: [{ text: "done" }] });
  },
);

test("a tool with arguments for headers is given as it is where there is no time to fit it", async () => {
  const hub = await startHub();
  const many = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`p${index}`, {}]));
  const inputSchema = { type: "object", not: { required: ["nothing"] }, properties: many };
  const work = { ...inputSchema, properties: { ...many, place } };
  const big = Array.from({ length: 40 }, (_, index) => ({ name: `big_${index}`, inputSchema }));
  const tools = JSON.parse(JSON.stringify([...big, { name: "work", inputSchema: work }])) as Offer["tools"];
  await connectMcpPage(hub, { offer: { tools }, handle: (call) => call.say("done") });
  const client = await connectClient(hub, { name: "claude-code" });
  const listed = (await client.listTools()).tools;
  expect(listed.find(({ name }) => name === "work")?.inputSchema).toEqual(work);
  expect(await client.callTool({ name: "work", arguments: { place: "Bern" } })).toMatchObject({
    content: [{ text: "done" }],
  });
});

test("a tool that costs much keeps no other from its vendor's form, and what was fitted before costs nothing", async () => {
  const hub = await startHub();
  const laughs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      { anyOf: Array(9).fill({ $ref: `#/$defs/a${index + 1}` }) },
    ]),
  ) as Record<string, Json>;
  const costly = { type: "object", oneOf: [{ $ref: "#/$defs/a0" }, { properties: laughs }], $defs: laughs } as const;
  const tools = Array.from({ length: 20 }, (_, index) => ({ name: `costly_${index}`, inputSchema: costly }));
  const separate = JSON.parse(JSON.stringify([...tools, { name: "find", inputSchema: odd }])) as Offer["tools"];
  await connectMcpPage(hub, { offer: { tools: separate } });
  for (const _ of [1, 2]) {
    const client = await connectClient(hub, { name: "gemini-cli-mcp-client-pagewire" });
    const find = (await client.listTools()).tools.find(({ name }) => name === "find");
    expect(find?.description).toBe("Give exactly one of {sku} or {link}.");
  }
});

test("M126: a program that reads no instructions has them in a tool's description", async () => {
  const hub = await startHub();
  await connectMcpPage(hub, { offer });
  const client = await connectClient(hub, { name: "copilot-cli", revision: "2025-11-25" });
  const { tools } = await client.listTools();
  const { description } = tools.find(({ name }) => name === "list_browser_tabs") ?? {};
  const instructions = client.getInstructions()?.split("\n") ?? [];
  expect(instructions).toHaveLength(3);
  for (const line of instructions.slice(1)) expect(description).toContain(line);
});
