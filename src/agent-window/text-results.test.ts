import { describe, expect, test, vi } from "vitest";
import { withTool } from "./calling.test-helper.ts";
import { codeOf, makeWorld, salesTool } from "./fake-parent.test-helper.ts";

describe("the page", () => {
  test("PL33: a call that takes it has its result as the text of its JSON, and any other as it is", async () => {
    const { agent, answers, answerOf } = await withTool(() => ({ total: 7 }));
    const payload = { tool_name: "work", arguments: {} };
    agent.say({ type: "tool_call", payload: { ...payload, call_id: "c1", takes_json: true } });
    await vi.waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]).toEqual({ call_id: "c1", success: true, json: '{"total":7}' });
    expect(await answerOf({}, { id: "c2" })).toEqual({ call_id: "c2", success: true, result: { total: 7 } });
    // What is remembered is told to each as it takes it.
    expect(await answerOf({}, { id: "c1" })).toEqual({ call_id: "c1", success: true, result: { total: 7 } });
    agent.say({ type: "tool_call", payload: { ...payload, call_id: "c2", takes_json: true } });
    await vi.waitFor(() => expect(answers()).toHaveLength(4));
    expect(answers()[3]).toEqual({ call_id: "c2", success: true, json: '{"total":7}' });
  });

  test("PL33: nothing and an error are told as to everybody", async () => {
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

  test("PL33: over a port a call takes text, which is read for who called, or given as it is", async () => {
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

  test("PL33: of a page without a port no text is asked, and its result is made text where that is wanted", async () => {
    const { load, page } = makeWorld();
    const { link } = load();
    page.offer(salesTool);
    const asked = link.callTool(salesTool.name, args, { asText: true });
    const [call] = page.calls();
    expect(call).not.toHaveProperty("takes_json");
    page.answer(call?.call_id ?? "", { total: 7 });
    expect(await asked).toBe('{"total":7}');
  });
});
