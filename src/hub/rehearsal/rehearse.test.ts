import { expect, test } from "vitest";
import type { AiContent, AiMessage, AiTool } from "../../ai/index.ts";
import { rehearse } from "./rehearsal-provider.ts";
import type { RehearsalOptions, RehearsalTurn } from "./rehearsal-provider.ts";

const today = "2026-03-11";

type Parameters = readonly [properties?: object, required?: readonly string[]];

function tool(name: string, description: string, ...[properties = {}, required = []]: Parameters): AiTool {
  return { name, description, parameters: { type: "object", properties, required } };
}

const text = { type: "string" };
const integer = { type: "integer" };

/** The demo's tools, as it declares them. */
const demoTools: readonly AiTool[] = [
  tool(
    "get_dashboard_overview",
    "Key figures of what the page shows, and their changes in percent against as many days before.",
  ),
  tool(
    "get_sales_data",
    "Revenue and orders of the last N days up to yesterday, in rows. Uses the page's filters, not its period.",
    { days: integer, groupBy: { enum: ["day", "week", "product", "region", "channel"], default: "day" } },
    ["days"],
  ),
  tool(
    "set_period",
    "Shows the last N days on the whole page. Returns its key figures.",
    { days: { enum: [7, 30, 90, 180] } },
    ["days"],
  ),
  tool("filter_sales", "Narrows the whole page; null clears a filter. Returns the key figures.", {
    region: { enum: ["Europe", "North America", "Asia Pacific", null] },
    product: { enum: ["House Blend", "Hand Grinder", "Gift Box", null] },
    channel: { enum: ["Web shop", "Mobile app", "Marketplace", null] },
  }),
  tool(
    "search_orders",
    "Finds orders of the page's period and filters that have every word of the text, and lists them in its table too.",
    {
      text,
      sort: { enum: ["id", "date", "customer", "product", "region", "quantity", "total"], default: "date" },
      direction: { enum: ["ascending", "descending"], default: "descending" },
      limit: integer,
    },
  ),
  tool(
    "highlight",
    "Rings a part of the page and scrolls to it, to show what you talk about.",
    {
      target: { enum: ["revenue", "orders", "revenue_chart", "breakdown", "orders_table", "order", "notes"] },
      orderId: text,
      message: text,
    },
    ["target"],
  ),
  tool(
    "add_note",
    "Writes a note for the user; with a date it marks that day on the chart too.",
    { text, date: { type: "string", format: "date" } },
    ["text"],
  ),
  tool("delete_notes", "Deletes all notes, the user's own too. The user is asked first."),
  tool(
    "run_forecast",
    "Simulates the revenue of the next days under the page's filters, and draws it on the chart. Takes five seconds.",
    { days: integer },
  ),
  tool("ask_sales_goal", "Asks the user for the sales goal of this month."),
];

function ask(content: AiContent, options: RehearsalOptions = { tools: demoTools }): RehearsalTurn {
  return rehearse([{ role: "user", content }], options, today);
}

/** The call for a sentence, as `name {"arguments":…}`. */
function callOf(sentence: string, options?: RehearsalOptions): string | undefined {
  const [call] = ask(sentence, options).toolCalls ?? [];
  return call && `${call.name} ${call.arguments}`;
}

test.each([
  ["What were sales in the last 30 days?", 'get_sales_data {"days":30}'],
  ["Show me the sales data of the last 30 days", 'get_sales_data {"days":30}'],
  ["What were sales in the last 30 days by product?", 'get_sales_data {"days":30,"groupBy":"product"}'],
  ["What were our best days last month?", 'get_sales_data {"days":30,"groupBy":"day"}'],
  ["sales last week", 'get_sales_data {"days":7}'],
  ["Show me the dashboard overview", "get_dashboard_overview {}"],
  ["Give me the key figures", "get_dashboard_overview {}"],
  ["Show only Europe", 'filter_sales {"region":"Europe"}'],
  ["clear the region filter", 'filter_sales {"region":null}'],
  ["Set the period to 7 days", 'set_period {"days":7}'],
  ["find orders from Ada Abe, top 5", 'search_orders {"text":"Ada Abe","limit":5}'],
  ["orders by total, ascending", 'search_orders {"sort":"total","direction":"ascending"}'],
  ["highlight order H20418", 'highlight {"target":"order","orderId":"H20418"}'],
  ["Highlight the revenue chart", 'highlight {"target":"revenue_chart"}'],
  ["add a note: call Ada tomorrow", 'add_note {"text":"call Ada tomorrow"}'],
  ['add a note "Check stock" on 2026-03-03', 'add_note {"text":"Check stock","date":"2026-03-03"}'],
  ["forecast the next 30 days", 'run_forecast {"days":30}'],
  ["run_forecast", "run_forecast {}"],
  ["remove all notes", "delete_notes {}"],
  ["Ask for a sales goal", "ask_sales_goal {}"],
])("%s", (sentence, call) => {
  expect(callOf(sentence)).toBe(call);
});

function fill(sentence: string, properties: object): unknown {
  const tools = [tool("do_it", "", properties, Object.keys(properties))];
  const json = ask(`do it, ${sentence}`, { tools }).toolCalls?.[0]?.arguments;
  return json && JSON.parse(json);
}

test("parameters are filled with what the sentence gives", () => {
  expect(fill("height 20 and width: 30", { width: integer, height: integer })).toEqual({ width: 30, height: 20 });
  expect(fill("price = 1,250.50", { price: { type: "number" } })).toEqual({ price: 1250.5 });
  expect(fill("a LARGE one", { size: { enum: ["small", "large"] } })).toEqual({ size: "large" });
  expect(fill("with tax", { includeTax: { type: "boolean" } })).toEqual({ includeTax: true });
  expect(fill("without tax", { includeTax: { type: "boolean" } })).toEqual({ includeTax: false });
  expect(fill("tomorrow", { due: { type: "string", format: "date" } })).toEqual({ due: "2026-03-12" });
  expect(fill("for ada@example.com please", { to: { type: "string", format: "email" } })).toEqual({
    to: "ada@example.com",
  });
  expect(fill('for the user ID "u1"', { userId: text })).toEqual({ userId: "u1" });
  expect(fill("in New York today", { city: { anyOf: [text, { type: "null" }] } })).toEqual({ city: "New York" });
  expect(fill("from Berlin to Rome", { from: text, to: text })).toEqual({ from: "Berlin", to: "Rome" });
  expect(fill("tags: red, green and blue", { tags: { type: "array", items: text } })).toEqual({
    tags: ["red", "green", "blue"],
  });
});

test("a required value that the sentence does not give is asked for", () => {
  const properties = { days: { type: "integer", description: "Days to look back." }, size: { enum: ["S", "L"] } };
  const { content, toolCalls } = ask("do it", { tools: [tool("do_it", "", properties, ["days", "size"])] });
  expect(toolCalls).toBeUndefined();
  expect(content).toContain("To use `do_it` I need `days` (integer; Days to look back), and `size` (one of S, L).");
});

test("a tool that changes something runs only when the sentence asks for that", () => {
  for (const name of ["notes_delete", "deleteNotes", "notes.delete"]) {
    const tools = [tool(name, "All notes.")];
    for (const sentence of ["show all notes", "the notes", `don't call ${name}`, "never delete my notes"])
      expect([sentence, callOf(sentence, { tools })]).toEqual([sentence, undefined]);
    for (const sentence of ["delete all notes", "don't forget to delete the notes", `call ${name}`])
      expect([sentence, callOf(sentence, { tools })]).toEqual([sentence, `${name} {}`]);
  }
});

test("a forced choice is obeyed, and so is a forbidden one", () => {
  expect(callOf("hello", { tools: demoTools, toolChoice: { name: "run_forecast" } })).toBe("run_forecast {}");
  expect(callOf("hello", { tools: demoTools, toolChoice: "required" })).toBe("get_dashboard_overview {}");
  expect(callOf("forecast 30 days", { tools: demoTools, toolChoice: "none" })).toBeUndefined();
});

test("where no tool fits it names those that there are", () => {
  expect(ask("sing a song", {}).content).toContain("There are no tools that I could call.");
  expect(ask("sing a song").content).toMatch(
    /No tool fits that\. .*:\n\n- `get_dashboard_overview`: Key figures of what the page shows\n- `get_sales_data`: Revenue/,
  );
});

test("every text ends with what the model is and how to get a real one", () => {
  for (const { content } of [ask("hello", {}), ask("hello"), resultOf("1")])
    expect(content).toMatch(/Pagewire's built-in rehearsal model, not a language model.*OPENAI_API_KEY.*--model\.$/s);
});

test("images are named by their type", () => {
  const image = { type: "image", url: "data:image/png;base64,AAAA" } as const;
  expect(ask([image, { type: "text", text: "what is this?" }]).content).toContain(
    "I was given one image (image/png), and cannot see it.",
  );
});

test("rows are shown as a table, fields as a list, failures as failures", () => {
  const rows = Array.from({ length: 14 }, (_, index) => ({ region: `R${index}|x`, totalRevenue: 12_345.678 + index }));
  expect(reportOf(JSON.stringify(rows)).split("\n")).toEqual([
    'I called `get_sales_data` with `{"days":30}`:',
    "",
    "| Region | Total revenue |",
    "| --- | --- |",
    "| R0\\|x | 12,345.68 |",
    ...Array.from({ length: 11 }, () => expect.stringMatching(/^\| R/) as unknown),
    "",
    "… and 2 more.",
  ]);
  const result = { period: "Last 30 days", filters: { region: null }, data: [{ orders: 3 }], tags: ["a", "b"] };
  expect(reportOf(JSON.stringify(result))).toContain(
    "- **Period**: Last 30 days\n- **Filters › Region**: –\n- **Tags**: a, b\n\n**Data**\n\n| Orders |\n| --- |\n| 3 |",
  );
  expect(reportOf("All is well.")).toContain(":\n\nAll is well.");
  expect(reportOf("")).toContain("it gave nothing back");
  const failed = 'I called `get_sales_data` with `{"days":30}`, and it failed: Out of beans.';
  expect([reportOf('{"error":"Out of beans."}'), reportOf("Out of beans.", "failed")]).toEqual([failed, failed]);
});

test("an answer with a schema is JSON from the sentence and the results", () => {
  const responseSchema = {
    type: "object",
    properties: {
      name: text,
      guests: { type: "integer", minimum: 1 },
      date: { type: "string", format: "date" },
      vegetarian: { type: "boolean" },
    },
    required: ["name", "guests", "date", "vegetarian"],
  };
  const answer = (sentence: string): unknown => JSON.parse(ask(sentence, { responseSchema }).content);
  expect(answer("A table for Ada Lovelace on 2026-12-24, 4 guests, vegetarian")).toEqual({
    name: "Ada Lovelace",
    guests: 4,
    date: "2026-12-24",
    vegetarian: true,
  });
  expect(answer("Grace Hopper, 2 guests, on 2027-01-09")).toEqual({
    name: "Grace Hopper",
    guests: 2,
    date: "2027-01-09",
    vegetarian: false,
  });
  const revenue = { type: "object", properties: { revenue: { type: "number" } }, required: ["revenue"] };
  expect(resultOf('{"total":{"revenue":12.5}}', undefined, { responseSchema: revenue }).content).toBe(
    '{"revenue":12.5}',
  );
});

test("a page that declares ten times as much has no more of it read, and its patterns do not run", () => {
  expect(readsOf(1000)).toBe(readsOf(100));
});

/** The number of values that are read of a page with `count` parameters, each with as many values. */
function readsOf(count: number): number {
  let reads = 0;
  const values = new Proxy(
    Array.from({ length: count }, (_, value) => `${"a".repeat(30)} ${value}`),
    {
      get(target, key, receiver) {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  const properties = Array.from({ length: count }, (_, at) => [
    `${"a_".repeat(60)}${at}`,
    { enum: values, pattern: "^(a+)+$" },
  ]);
  const parameters = Object.fromEntries(properties);
  const hostile = Array.from({ length: 20 }, (_, at) => tool(`find_code_${at}`, "a ".repeat(20_000), parameters));
  ask(`find code 7 ${"a ".repeat(5000)}${"a".repeat(5000)}!`, { tools: hostile });
  expect(reads).toBeGreaterThan(0);
  return reads;
}

function resultOf(content: string, toolStatus?: "failed", options: RehearsalOptions = {}): RehearsalTurn {
  const messages: AiMessage[] = [
    { role: "user", content: "sales" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", name: "get_sales_data", arguments: '{"days":30}' }],
    },
    { role: "tool", content, toolCallId: "c", ...(toolStatus && { toolStatus }) },
  ];
  return rehearse(messages, { tools: demoTools, ...options }, today);
}

/** The text for a result, without the model's own sentence. */
function reportOf(content: string, toolStatus?: "failed"): string {
  const { content: shown } = resultOf(content, toolStatus);
  return shown.slice(0, shown.lastIndexOf("\n\nI am Pagewire's"));
}
