import fc from "fast-check";
import { expect, test } from "vitest";
import { demoTools } from "../demo-tools.test-helper.ts";
import { ask, callsOf, reportIn, requestOf, said, today, validate } from "./ask.test-helper.ts";
import { rehearse } from "./rehearse.ts";
import type { RehearsalResult } from "./request.ts";
import { sentences } from "./schemas.test-helper.ts";

const tools = demoTools;

test("the same request on the same day is given the same answer", () => {
  const alike = fc.property(sentences, (sentence) => {
    expect(ask(sentence, { tools })).toEqual(ask(sentence, { tools }));
  });
  fc.assert(alike, { numRuns: 50 });
});

test("the demo's tools are picked by their names and descriptions", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["what were sales in the last 30 days", 'get_sales_data {"days":30}'],
    ["What were sales in the last 30 days?", 'get_sales_data {"days":30}'],
    ["show me sales by region for the last 90 days", 'get_sales_data {"days":90,"groupBy":"region"}'],
    ["sales last week", 'get_sales_data {"days":7}'],
    ["Show only Europe", 'filter_sales {"region":"Europe"}'],
    ["clear the region filter", 'filter_sales {"region":null}'],
    ["set the period to 90 days", 'set_period {"days":90}'],
    ["find orders from Ada Abe, top 5", 'search_orders {"text":"Ada Abe","limit":5}'],
    ["orders by total, ascending", 'search_orders {"sort":"total","direction":"ascending"}'],
    ["highlight order H20418", 'highlight {"target":"order","orderId":"H20418"}'],
    ["highlight the revenue chart", 'highlight {"target":"revenue_chart"}'],
    ["add a note: call Ada tomorrow", 'add_note {"text":"call Ada tomorrow"}'],
    ['add a note "Check stock" on 2026-03-03', 'add_note {"text":"Check stock","date":"2026-03-03"}'],
    ["forecast the next 30 days", 'run_forecast {"days":30}'],
    ["run_forecast", "run_forecast {}"],
    ["what are the key figures?", "get_dashboard_overview {}"],
    ["best product last month", 'get_sales_data {"days":30,"groupBy":"product"}'],
    ["What was our best selling product in the last 90 days?", 'get_sales_data {"days":90,"groupBy":"product"}'],
    ["predict next month", 'run_forecast {"days":30}'],
    ["highlight the chart", 'highlight {"target":"revenue_chart"}'],
  ];
  for (const [sentence, call] of cases)
    expect([sentence, callsOf(ask(sentence, { tools }))]).toEqual([sentence, [call]]);
});

test("tools that one sentence speaks of are called together, where that is allowed", () => {
  const sentence = "show the key figures and forecast 20 days";
  expect(callsOf(ask(sentence, { tools }))).toEqual(["get_dashboard_overview {}", 'run_forecast {"days":20}']);
  expect(callsOf(ask(sentence, { tools, parallel: false }))).toEqual(["get_dashboard_overview {}"]);
  expect(callsOf(ask("Add a note saying sales dropped and highlight the chart", { tools }))).toEqual([
    'add_note {"text":"sales dropped"}',
    'highlight {"target":"revenue_chart"}',
  ]);
  const weather = {
    name: "get_weather",
    description: "",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  };
  expect(callsOf(ask("weather in Paris and weather in New York", { tools: [weather] }))).toEqual([
    'get_weather {"city":"Paris"}',
    'get_weather {"city":"New York"}',
  ]);
});

test("a tool that changes something is only called by a sentence that asks for the deed", () => {
  expect(callsOf(ask("show the notes", { tools }))).not.toContain("delete_notes {}");
  expect(callsOf(ask("notes", { tools }))).not.toContain("delete_notes {}");
  expect(callsOf(ask("remove all notes", { tools }))).toEqual(["delete_notes {}"]);
  const newThing = { name: "create_event", description: "A day in the calendar.", parameters: { type: "object" } };
  expect(ask("which day is best in New York?", { tools: [newThing] }).calls).toEqual([]);
});

test("that a tool changes something is read from its name, however that is written", () => {
  for (const name of ["notes_delete", "deleteNotes", "notes.delete"]) {
    const tools = [{ name, description: "All notes.", parameters: { type: "object" } }];
    for (const sentence of ["show all notes", "the notes", `don't call ${name}`])
      expect([name, sentence, ask(sentence, { tools }).calls]).toEqual([name, sentence, []]);
    for (const sentence of ["delete all notes", `call ${name}`])
      expect([name, sentence, callsOf(ask(sentence, { tools }))]).toEqual([name, sentence, [`${name} {}`]]);
  }
});

test("what a sentence says not to do is not done, also when it names the tool", () => {
  for (const sentence of [
    "don't delete the notes",
    "Do not delete notes!",
    "please never remove my notes",
    "don’t call delete_notes",
    "go on without deleting the notes",
  ])
    expect([sentence, callsOf(ask(sentence, { tools }))]).not.toEqual([sentence, ["delete_notes {}"]]);
  const both = "do not delete anything, just show the key figures";
  expect(callsOf(ask(both, { tools }))).toEqual(["get_dashboard_overview {}"]);
  expect(callsOf(ask("don't forget to delete the notes", { tools }))).toEqual(["delete_notes {}"]);
  expect(callsOf(ask("Not bad. Delete the notes.", { tools }))).toEqual(["delete_notes {}"]);
});

test("a forced choice is obeyed, also when the tools have answered; a forbidden one too", () => {
  expect(callsOf(ask("hello", { tools, toolChoice: { name: "run_forecast" } }))).toEqual(["run_forecast {}"]);
  expect(ask("hello", { tools, toolChoice: "required" }).calls).toHaveLength(1);
  expect(ask("forecast 30 days", { tools, toolChoice: "none" }).calls).toEqual([]);
  const again = rehearse(
    requestOf({
      messages: withResults("forecast 30 days", [{ text: "done" }]),
      tools,
      toolChoice: { name: "run_forecast" },
    }),
    { today, validate },
  );
  expect(callsOf(again)).toEqual(['run_forecast {"days":30}']);
});

test("every text says what it is and how to get a real model", () => {
  for (const turn of [
    ask("hello"),
    ask("hello", { tools }),
    ask("set the period", { tools, toolChoice: "none" }),
    report("1"),
  ])
    expect(turn.text).toMatch(/Pagewire's built-in rehearsal model, not a language model.*OPENAI_API_KEY.*--model\.$/s);
});

test("where no tool is called it says why", () => {
  expect(reportIn(ask("sing a song"))).toContain("declares no tools");
  expect(reportIn(ask("sing a song", { tools }))).toMatch(
    /No tool fits that\. .*:\n\n- `get_dashboard_overview`: Key figures of what the page shows\n- `get_sales_data`: Revenue/,
  );
  expect(reportIn(ask("forecast 30 days", { tools, toolChoice: "none" }))).toContain("does not let me call tools");
});

test("images are acknowledged by number and type", () => {
  const images = ["image/png", "image/png", "image/jpeg"];
  const turn = rehearse(requestOf({ messages: [{ role: "user", text: "what is this?", images }] }), {
    today,
    validate,
  });
  expect(turn.text).toContain("I was given 3 images (2 × image/png, image/jpeg), and cannot see them.");
});

test("rows are reported as a table, cut where they are many", () => {
  const rows = Array.from({ length: 14 }, (_, index) => ({ region: `R${index}|x`, totalRevenue: 12_345.678 + index }));
  const lines = reportIn(report(JSON.stringify(rows))).split("\n");
  expect(lines.slice(0, 5)).toEqual([
    'I called `get_sales_data` with `{"days":30}`:',
    "",
    "| Region | Total revenue |",
    "| --- | --- |",
    "| R0\\|x | 12,345.68 |",
  ]);
  expect(lines.at(-1)).toBe("… and 2 more.");
});

test("fields are reported as a list, with a table for each list of rows in them", () => {
  const result = {
    period: "Last 30 days",
    filters: { region: null },
    data: [{ key: "Asia", orders: 3 }],
    tags: ["a", "b"],
  };
  expect(reportIn(report(JSON.stringify(result)))).toBe(
    [
      'I called `get_sales_data` with `{"days":30}`:\n',
      "- **Period**: Last 30 days",
      "- **Filters › Region**: –",
      "- **Tags**: a, b\n",
      "**Data**\n",
      "| Key | Orders |",
      "| --- | --- |",
      "| Asia | 3 |",
    ].join("\n"),
  );
});

test("plain text, MCP results and nothing are reported as what they are", () => {
  expect(reportIn(report("All is well."))).toContain(":\n\nAll is well.");
  expect(reportIn(report(JSON.stringify({ content: [{ type: "text", text: '{"total":5}' }] })))).toContain(
    "- **Total**: 5",
  );
  const structured = { content: [{ type: "text", text: "x" }], structuredContent: { total: 6 } };
  expect(reportIn(report(JSON.stringify(structured)))).toContain("- **Total**: 6");
  expect(reportIn(report(""))).toContain("it gave nothing back");
});

test("what a tool failed with is reported", () => {
  const failures: readonly Partial<RehearsalResult>[] = [
    { text: "Out of beans.", failed: true },
    { text: '{"error":"Out of beans."}' },
    { text: '{"error":{"code":"x","message":"Out of beans."}}' },
    { text: JSON.stringify({ content: [{ type: "text", text: "Out of beans." }], isError: true }) },
  ];
  for (const failure of failures)
    expect(reportIn(answerTo([failure]))).toBe(
      'I called `get_sales_data` with `{"days":30}`, and it failed: Out of beans.',
    );
});

test("several results are all reported, in their order", () => {
  expect(reportIn(answerTo([{ text: "one" }, { text: "two" }]))).toMatch(/one.*\n\n.*two/s);
});

test("a text ends where its tokens are used up, or before a stop sequence", () => {
  const whole = ask("hello");
  const cut = ask("hello", { maxTokens: 5 });
  expect(cut).toMatchObject({ finish: "length", text: whole.text.slice(0, 20), usage: { completion: 5 } });
  const stopped = ask("hello", { stop: ["never there", "rehearsal"] });
  expect(stopped).toMatchObject({ finish: "stop", stoppedBy: "rehearsal" });
  expect(stopped.text).toBe(whole.text.slice(0, whole.text.indexOf("rehearsal")));
});

test("tokens are counted alike each time, and more for more", () => {
  const short = ask("hello");
  const long = ask(`hello ${"there ".repeat(40)}`, { tools, system: "Be kind." });
  expect(short.usage.prompt).toBeGreaterThan(0);
  expect(long.usage.prompt).toBeGreaterThan(short.usage.prompt);
  expect(short.usage.completion).toBe(Math.ceil(short.text.length / 4));
});

function report(text: string) {
  return answerTo([{ text }]);
}

function answerTo(results: readonly Partial<RehearsalResult>[]) {
  return rehearse(requestOf({ messages: withResults("sales", results), tools }), { today, validate });
}

function withResults(sentence: string, results: readonly Partial<RehearsalResult>[]) {
  const calls = results.map((_, index) => ({ id: `c${index}`, name: "get_sales_data", arguments: '{"days":30}' }));
  const all = calls.map(({ id, name }, index) => ({ callId: id, name, text: "", failed: false, ...results[index] }));
  return [said(sentence), { role: "assistant" as const, text: "", calls }, { role: "tool" as const, results: all }];
}
