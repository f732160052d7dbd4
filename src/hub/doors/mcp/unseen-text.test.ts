import { expect, test } from "vitest";
import type { Offer } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";

/** A terminal command, bidirectional text, an invisible space, tag characters, and an 8-bit control sequence. */
const hidden = "pay\u001b]52;c;eA==\u0007 \u202eevil\u202c\u200b\u{e0041}\u{e007f}\u009b31m";
const visible = "pay]52;c;eA== evil31m";
const written = "pay⟨U+001B⟩]52;c;eA==⟨U+0007⟩ ⟨U+202E⟩evil⟨U+202C⟩⟨U+200B⟩⟨U+E0041⟩⟨U+E007F⟩⟨U+009B⟩31m";
const unseen = /(?!\n)[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

const words = { title: hidden, description: hidden };
/** A property may have the name of a schema keyword. */
const properties = {
  title: { type: "string", ...words, enum: [hidden], default: hidden },
  list: { type: "array", items: { anyOf: [{ type: "string", ...words }] } },
} as const;
const schema = { type: "object", ...words, properties } as const;
const offer: Partial<Offer> = {
  tools: [{ name: "work", ...words, inputSchema: schema, outputSchema: schema, annotations: { title: hidden } }],
  prompts: [{ name: "tell", ...words, arguments: [{ name: "about", ...words }] }],
  resources: [{ uri: "note:///1", name: hidden, ...words }],
  resourceTemplates: [{ uriTemplate: "note:///{id}", name: hidden, ...words }],
};

const lists = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;

/** Everything that a page offers, as listed. */
async function listed(hub: TestHub, revision: string, path: string): Promise<string> {
  const found = await Promise.all(
    Object.entries(lists).map(
      async ([method, kind]) => (await askOnce({ hub, revision, path }, method, {})).result?.[kind],
    ),
  );
  return JSON.stringify(found);
}

/** The same without data, that is, without the values that an argument may have. */
const withoutValues = (json: string) => json.replaceAll(JSON.stringify(hidden), '"value"');

test.each(revisions)(
  "M120: to %s, titles and descriptions have nothing that cannot be seen, and values stay",
  async (revision) => {
    const hub = await startHub();
    const page = await connectMcpPage(hub, { offer, app: `shop${hidden}`, title: hidden });
    for (const path of ["/mcp", `/mcp/tabs/${page.tabId}`]) {
      const found = await listed(hub, revision, path);
      expect(withoutValues(found)).not.toMatch(unseen);
      // In two schemas, each with an enum and a default.
      expect(found.split(JSON.stringify(hidden))).toHaveLength(5);
      expect(found.split(JSON.stringify(visible)).length).toBeGreaterThan(15);
    }
    const client = await connectClient(hub, { revision });
    for (const name of ["list_browser_tabs", "list_tab_tools"]) {
      const { structuredContent, content } = await client.callTool({ name, arguments: {} });
      const text = (content as { text: string }[])[0]?.text ?? "";
      for (const said of [JSON.stringify(structuredContent), JSON.stringify(JSON.parse(text))]) {
        expect(withoutValues(said)).not.toMatch(unseen);
        expect(said).toContain(visible);
      }
    }
  },
);

test("M120: what a page changes of its offer, and of its tab, is read in the same way", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  page.send({ type: "offer-change" }, JSON.stringify({ add: offer }));
  page.send({ type: "tab", title: hidden, url: `https://shop.example/${hidden}` });
  await page.settled();
  expect(withoutValues(await listed(hub, "2026-07-28", "/mcp"))).not.toMatch(unseen);
  const client = await connectClient(hub);
  const tabs = await client.callTool({ name: "list_browser_tabs", arguments: {} });
  expect(JSON.stringify(tabs)).not.toMatch(unseen);
});

test("M120: emoji, scripts and layout stay as their page wrote them", async () => {
  const hub = await startHub();
  const description = "Grüße, 你好, مرحبا 👨\u200d👩\u200d👧 ❤\uFE0F\n\tmore";
  await connectMcpPage(hub, { offer: { tools: [{ name: "work", description, inputSchema: { type: "object" } }] } });
  const { tools } = await (await connectClient(hub)).listTools();
  expect(tools.find(({ name }) => name === "work")?.description).toBe(description);
});

test.each(revisions)(
  "what a page asks, says and logs on its way shows a client of %s what cannot be seen",
  async (revision) => {
    const hub = await startHub();
    const form = {
      mode: "form",
      message: hidden,
      requestedSchema: { type: "object", properties: { name: properties.title } },
    };
    await connectMcpPage(hub, {
      async handle(call) {
        call.progress(1, { message: hidden });
        call.log("info", { [hidden]: [hidden] }, hidden);
        await call.ask("elicitation/create", form);
        call.fail({ outcome: "tool-error", ran: "yes", code: "handler-failed", message: hidden });
      },
    });
    const client = await connectClient(hub, { revision, capabilities: { elicitation: { form: {} } } });
    const told: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void told.push(params));
    client.setRequestHandler("elicitation/create", ({ params }) => {
      told.push(params);
      return { action: "decline" };
    });
    if (revision === "2025-11-25") await client.setLoggingLevel("info");
    const _meta = { "io.modelcontextprotocol/logLevel": "info" };
    const call = { name: "work", arguments: {}, ...(revision === "2025-11-25" ? {} : { _meta }) };
    const end = await client.callTool(call, { onprogress: (progress) => void told.push(progress) });
    const said = JSON.stringify([...told, end]);
    expect(withoutValues(said)).not.toMatch(unseen);
    expect(told).toContainEqual({ progress: 1, message: written });
    expect(told).toContainEqual(expect.objectContaining({ message: written }));
    expect(told).toContainEqual({ level: "info", logger: written, data: { [written]: [written] } });
    expect(end).toMatchObject({ isError: true, content: [{ text: written }] });
  },
);

test("questions with which a page ends a round are no other", async () => {
  const hub = await startHub();
  const request = { method: "elicitation/create", params: { mode: "form", message: hidden, requestedSchema: schema } };
  await connectMcpPage(hub, {
    handle: (call) => call.result({ inputRequests: { ask: request } }, { inputRequired: true }),
  });
  const asking = { hub, revision: "2026-07-28", capabilities: { elicitation: { form: {} } } };
  const { result } = await askOnce(asking, "tools/call", { name: "work", arguments: {} });
  expect(withoutValues(JSON.stringify(result))).not.toMatch(unseen);
  expect(JSON.stringify(result)).toContain(written);
});

test.each(revisions)("a result is data, and reaches a client of %s as its page wrote it", async (revision) => {
  const hub = await startHub();
  await connectMcpPage(hub, { handle: (call) => call.say(hidden) });
  const client = await connectClient(hub, { revision });
  expect(await client.callTool({ name: "work", arguments: {} })).toMatchObject({ content: [{ text: hidden }] });
});
