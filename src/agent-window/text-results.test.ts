import { describe, expect, test, vi } from "vitest";
import { withTool } from "./calling.test-helper.ts";
import { codeOf, makeWorld, salesTool } from "./fake-parent.test-helper.ts";

describe("the page", () => {
  test("a call that accepts text gets its result as JSON text, and any other as a value", async () => {
    const { agent, answers, answerOf } = await withTool(() => ({ total: 7 }));
    const payload = { tool_name: "work", arguments: {} };
    agent.say({ type: "tool_call", payload: { ...payload, call_id: "c1", takes_json: true } });
    await vi.waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]).toEqual({ call_id: "c1", success: true, json: '{"total":7}' });
    expect(await answerOf({}, { id: "c2" })).toEqual({ call_id: "c2", success: true, result: { total: 7 } });
    // Each caller gets the remembered result in the form that it accepts.
    expect(await answerOf({}, { id: "c1" })).toEqual({ call_id: "c1", success: true, result: { total: 7 } });
    agent.say({ type: "tool_call", payload: { ...payload, call_id: "c2", takes_json: true } });
    await vi.waitFor(() => expect(answers()).toHaveLength(4));
    expect(answers()[3]).toEqual({ call_id: "c2", success: true, json: '{"total":7}' });
  });

  test("an empty result and an error are the same for all callers", async () => {
    const results = [
      () => undefined,
      () => {
        throw new Error("No stock.");
      },
    ];
    const { agent, answers } = await withTool(() => results.shift()?.());
    for (const call_id of ["c1", "c2"])
      agent.say({ type: "tool_call", payload: { tool_name: "work", arguments: {}, call_id, takes_json: true } });
    await vi.waitFor(() => expect(answers()).toHaveLength(2));
    expect(answers()).toContainEqual({ call_id: "c1", success: true });
    expect(answers()).toContainEqual({ call_id: "c2", success: false, error: "No stock.", code: "handler-failed" });
  });
});

describe("the window", () => {
  const args = { days: 30 };

  test("over a port a call accepts text, which is parsed for callers, or returned as it is on request", async () => {
    const { load, page } = makeWorld();
    const { link } = load();
    page.offer(salesTool);
    const port = page.givePort();
    const answerWith = async (text: unknown, asText?: boolean) => {
      const before = page.calls(page.overPort).length;
      const asked = link.callTool(salesTool.name, args, { asText: asText === true });
      await vi.waitFor(() => expect(page.calls(page.overPort)).toHaveLength(before + 1));
      const call = page.calls(page.overPort).at(-1);
      expect(call).toMatchObject({ takes_json: true });
      const payload = { call_id: call?.call_id, success: true, ...(typeof text === "string" && { json: text }) };
      port.postMessage({ type: "tool_response", payload });
      return asked;
    };
    expect(await answerWith('{"total": 7}')).toEqual({ total: 7 });
    expect(await answerWith('{"total": 7}', true)).toBe('{"total": 7}');
    expect(await answerWith(undefined)).toBeUndefined();
    expect(await answerWith(undefined, true)).toBe("null");
    for (const text of ["", "{", "1}", `${"[".repeat(70)}${"]".repeat(70)}`]) {
      expect(await codeOf(answerWith(text)), text).toBe("result-unsendable");
      expect(await answerWith(text, true)).toBe(text);
    }
  });

  test("a page without a port is not asked for text, and its result is converted on request", async () => {
    const { load, page } = makeWorld();
    const { link } = load();
    page.offer(salesTool);
    const asked = link.callTool(salesTool.name, args, { asText: true });
    const [call] = page.calls();
    expect(call).not.toHaveProperty("takes_json");
    page.answer(call?.call_id ?? "", { total: 7 });
    expect(await asked).toBe('{"total":7}');
  });

  test("PL34: a page that accepts lists gets the calls of one turn in one, with arguments as text", async () => {
    const { load, page, clock } = makeWorld();
    const { link } = load();
    page.offer(salesTool);
    const port = page.givePort(undefined, { batches: true });
    const asked = [1, 2, 3].map((days) => link.callTool(salesTool.name, { days }));
    const long = { days: 1, why: "x".repeat(20_000) };
    const other = link.callTool(salesTool.name, long);
    await vi.waitFor(() => expect(page.calls(page.overPort)).toHaveLength(4));
    const calls = page.calls(page.overPort);
    expect(calls.map(({ json }) => JSON.parse(json ?? "") as unknown)).toEqual([
      { days: 1 },
      { days: 2 },
      { days: 3 },
      long,
    ]);
    expect([page.portMessages, calls[0]]).toEqual([2, expect.not.objectContaining({ arguments: expect.anything() })]);
    const answers = calls.map(({ call_id }) => ({
      type: "tool_response",
      payload: { call_id, success: true, json: "7" },
    }));
    port.postMessage([...answers.slice(1), { type: "ping" }, 3, [answers[0]]]);
    expect(await Promise.all([...asked.slice(1), other])).toEqual([7, 7, 7]);
    // A nested list is invalid, and a list over the limit is dropped whole.
    const first = codeOf(asked[0] ?? Promise.resolve());
    port.postMessage(Array.from({ length: 257 }, () => answers[0]));
    port.postMessage({ type: "ping" });
    await vi.waitFor(() => expect(page.overPort.filter(({ type }) => type === "pong")).toHaveLength(2));
    await clock.advance(30_000);
    expect(await first).toBe("deadline-exceeded");
  });

  test("PL34: a page that does not declare that it accepts lists gets each call as a separate object", async () => {
    const { load, page } = makeWorld();
    const { link } = load();
    page.offer(salesTool);
    page.givePort(undefined, { batches: "yes" });
    for (const days of [1, 2]) void link.callTool(salesTool.name, { days }).catch(() => {});
    await vi.waitFor(() =>
      expect(page.calls(page.overPort)).toMatchObject([{ arguments: { days: 1 } }, { arguments: { days: 2 } }]),
    );
    expect(page.portMessages).toBe(2);
  });
});
