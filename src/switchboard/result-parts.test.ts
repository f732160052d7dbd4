import { expect, test } from "vitest";
import type { CallToolResult, JsonObject, Limits, Tool } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";

const limited = (bytes: unknown, more: Partial<Tool> = {}) =>
  tool("list", { ...more, _meta: { "pagewire/maxResultBytes": bytes as number } });
const textResult = (...texts: readonly string[]) =>
  JSON.stringify({ content: texts.map((text) => ({ type: "text", text })) });
const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}, of Zürich 語 🙂`).join("\n");

function createStage({ limits = {}, listed = limited(1000) }: { limits?: Partial<Limits>; listed?: Tool } = {}) {
  const board = createBoard(limits);
  const page = board.page({ tools: [listed] });
  const agent = board.agent();

  /** Calls the tool, and lets the page answer if the call reaches it. */
  const call = async (given: object, payload: string, name = "list"): Promise<CallToolResult & { code?: string }> => {
    const before = page.calls.length;
    const made = agent.call(name, { arguments: JSON.stringify(given) });
    if (page.calls.length > before) {
      page.ack();
      page.answer(payload);
    }
    await board.clock.advance(0);
    const { payload: answer, code, message } = made.outcomes[0] ?? {};
    if (answer === undefined) throw new Error(`${code}: ${message}`);
    return JSON.parse(String(answer)) as CallToolResult;
  };
  return { board, page, agent, call };
}

const cursorOf = (result: CallToolResult) => result._meta?.["pagewire/resultCursor"] as string | undefined;
const textOf = (result: CallToolResult, index: number) => (result.content[index] as { text: string }).text;

test("B125: a long result comes in parts of a limited size, which together are the whole, and runs once", async () => {
  const { page, call } = createStage();
  const results = [await call({}, textResult(lines))];
  for (let last = results[0]; last && cursorOf(last) !== undefined; last = results.at(-1)) {
    results.push(await call({ resultCursor: cursorOf(last) }, ""));
  }
  const parts = results.map((result) => textOf(result, 0));
  const last = parts.pop() ?? "";
  for (const part of parts) {
    expect(new TextEncoder().encode(part).length).toBeLessThanOrEqual(1000);
    expect(part.endsWith("\n")).toBe(true);
  }
  const [first] = results;
  expect(first && textOf(first, 1)).toContain(
    `call this tool again with resultCursor "${first && cursorOf(first)}": it does not run again.`,
  );
  const place = `Characters ${lines.length - last.length + 1} to ${lines.length} of ${lines.length}.`;
  expect(results.at(-1)?.content[1]).toEqual({ type: "text", text: `[${place} This is the end.]` });
  parts.push(last);
  expect(parts.join("")).toBe(lines);
  expect(parts.length).toBeGreaterThan(20);
  expect(page.calls).toHaveLength(1);
});

test("B125: the same cursor returns the same part again, also through call_tab_tool, whatever other arguments it has", async () => {
  const { page, call } = createStage();
  const resultCursor = cursorOf(await call({}, textResult(lines)));
  const second = await call({ resultCursor, region: "Europe" }, "");
  expect(await call({ resultCursor, tabId: "tab-1" }, "")).toEqual(second);
  const given = { tabId: "tab-1", name: "list", arguments: { resultCursor } };
  expect(await call(given, "", "call_tab_tool")).toEqual(second);
  expect(page.calls).toHaveLength(1);
});

test("B125: a text without lines is cut after a value, or else between characters", async () => {
  const { call } = createStage();
  const rows = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, city: "Zürich" })));
  expect(textOf(await call({}, textResult(rows)), 0)).toMatch(/\},$/);
  const smileys = "🙂".repeat(2000);
  expect(textOf(await call({}, textResult(smileys)), 0)).toBe("🙂".repeat(250));
});

test("B125: several texts are joined, other content comes with the first part, and structured content is dropped", async () => {
  const { call } = createStage();
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const content = [{ type: "text", text: "a".repeat(900) }, image, { type: "text", text: "b".repeat(900) }];
  const result = await call(
    {},
    JSON.stringify({ content, structuredContent: { a: 1 }, isError: true, _meta: { mine: 1 } }),
  );
  expect(textOf(result, 0)).toBe(`${"a".repeat(900)}\n`);
  expect(result).toMatchObject({ content: [{}, {}, image], isError: true, _meta: { mine: 1 } });
  expect(result).not.toHaveProperty("structuredContent");
  const next = await call({ resultCursor: cursorOf(result) }, "");
  expect(next.content).toHaveLength(2);
  expect(textOf(next, 0)).toBe("b".repeat(900));
});

test("B125: a result that fits, and one without content, stay as the page wrote them", async () => {
  const { call, page, agent, board } = createStage();
  // One timer for deadlines exists from the first call on.
  const timers = board.clock.pending + 1;
  for (const payload of [textResult("short"), `{ "content": [], "more": "${"x".repeat(2000)}" }`]) {
    const made = agent.call("list");
    page.ack();
    page.answer(payload);
    expect(made.end).toMatchObject({ payload });
  }
  const value = { rows: Array.from({ length: 50 }, (_, index) => index) };
  const fits = JSON.stringify({ content: [{ type: "text", text: "x".repeat(900) }], structuredContent: value });
  expect(await call({}, fits)).toEqual(JSON.parse(fits));
  const twice = JSON.stringify({
    content: [{ type: "text", text: "50 rows" }],
    structuredContent: { x: "y".repeat(2000) },
  });
  expect(await call({}, twice)).toEqual({ content: [{ type: "text", text: "50 rows" }] });
  expect(board.clock.pending).toBe(timers);
});

test("B125: such a tool is listed with the argument resultCursor and without its output schema; others are unchanged", () => {
  const outputSchema = { type: "object" };
  const schema = { type: "object", properties: { region: {} }, required: ["region"] } as const;
  const { agent } = createStage({ listed: limited(1000, { inputSchema: schema, outputSchema }) });
  for (const { tools } of [agent.session.offer(), agent.session.tabOffer("tab-1")]) {
    const listed = tools.find(({ name }) => name === "list");
    expect(listed?.inputSchema).toMatchObject({
      ...schema,
      properties: { region: {}, resultCursor: { type: "string" } },
    });
    expect(listed).not.toHaveProperty("outputSchema");
  }
  const own = { type: "object", properties: { resultCursor: { type: "number" } } } as const;
  for (const other of [limited("1000", { outputSchema }), limited(1000, { inputSchema: own, outputSchema })]) {
    expect(createStage({ listed: other }).agent.session.tabOffer("tab-1").tools).toEqual([other]);
  }
});

test("B125: a resultCursor of a tool's own, or of a tool without parts, goes to the page", async () => {
  const own = limited(1000, { inputSchema: { type: "object", properties: { resultCursor: { type: "string" } } } });
  for (const listed of [own, tool("list")]) {
    const { call, page } = createStage({ listed });
    expect(textOf(await call({ resultCursor: "x.1" }, textResult(lines)), 0)).toBe(lines);
    expect(page.calls[0]?.payload).toBe('{"resultCursor":"x.1"}');
  }
});

test.each<[string, Partial<Limits>]>([
  ["after partsTime", { partsTime: 1000 }],
  ["when the tab has more than partsBytes of newer ones", { partsBytes: 40_000 }],
  ["when all tabs have more than partsBytesInAll of newer ones", { partsBytesInAll: 40_000 }],
])("what follows is let go %s, and the error says what to do", async (_, limits) => {
  const { call, board, page } = createStage({ limits });
  const first: JsonObject = { resultCursor: cursorOf(await call({}, textResult(lines))) ?? "" };
  await call(first, "");
  await board.clock.advance(999);
  await call(first, "");
  const second = { resultCursor: cursorOf(await call({}, textResult(lines))) };
  await board.clock.advance(1);
  await expect(call(first, "")).rejects.toThrow(/^input-invalid: .*no longer kept.*Call the tool again without it\.$/s);
  await call(second, "");
  expect(page.calls).toHaveLength(2);
});

test("a result beyond partsBytes is cut, and the last part reports that the rest was dropped", async () => {
  const { call } = createStage({ limits: { partsBytes: 1500 } });
  const first = await call({}, textResult("x".repeat(5000)));
  expect(textOf(first, 1)).toContain("1 to 1000 of 5000.");
  const last = await call({ resultCursor: cursorOf(first) }, "");
  expect(textOf(last, 1)).toBe(
    "[Characters 1001 to 1500 of 5000. What follows was too long to be kept: ask the tool for less.]",
  );
  expect(cursorOf(last)).toBeUndefined();
});

test("a cursor that is invented, of another principal or not text is refused; nothing is left after closing", async () => {
  const { call, board } = createStage();
  const resultCursor = cursorOf(await call({}, textResult(lines)));
  for (const wrong of ["", "x.1", "call-1", `${resultCursor}0000`, 7, null]) {
    await expect(call({ resultCursor: wrong }, "")).rejects.toThrow("input-invalid");
  }
  board.page({ principal: "other", tools: [limited(1000)] });
  const foreign = board.agent({ principal: "other" }).call("list", { arguments: JSON.stringify({ resultCursor }) });
  await board.clock.advance(0);
  expect(foreign.end).toMatchObject({ outcome: "rejected", code: "input-invalid" });
  board.switchboard.close();
  expect(board.clock.pending).toBe(0);
});

test("B125: a repeated call with a key gets the same part, with the same cursor", async () => {
  const { agent, page } = createStage();
  const ends = ["", ""].map(() => {
    const made = agent.call("list", { key: "k" });
    if (page.calls.length === 1 && made.outcomes.length === 0) {
      page.ack();
      page.answer(textResult(lines));
    }
    return made;
  });
  await Promise.resolve();
  expect(ends[1]?.end).toMatchObject({ replay: true, payload: ends[0]?.end?.["payload"] });
});
