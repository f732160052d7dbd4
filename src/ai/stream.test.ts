import { expect, test, vi } from "vitest";
import { finishGrace } from "./ask.ts";
import {
  createConversation,
  holdTime,
  nextEvent,
  plainProvider,
  record,
  settled,
  withoutIds,
} from "./model.test-helper.ts";

test("an answer is the same wherever its bytes are cut", async () => {
  const { core, model, send } = createConversation();
  const said = [
    { delta: "Grüße, 世界 👋" },
    { delta: "\r\n and more", usage: { promptTokens: 1, completionTokens: 2 } },
  ];
  const lines = said.map((part) => `: still here\r\nevent: x\r\ndata: ${JSON.stringify(part)}\r\n\r\n`);
  const bytes = new TextEncoder().encode(`\uFEFF${lines.join("")}data: [DONE]\r\n\r\n`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const answer = send();
    const request = await model.next();
    request.stream();
    request.write(bytes.slice(0, cut));
    await settled();
    request.write(bytes.slice(cut));
    expect(await answer).toBe("Grüße, 世界 👋\r\n and more");
    core.messages = [];
  }
});

test("an answer may come byte by byte", async () => {
  const { model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.stream();
  for (const byte of new TextEncoder().encode('data: {"delta":"日本語"}\n\ndata: [DONE]\n\n')) {
    request.write(Uint8Array.of(byte));
  }
  expect(await answer).toBe("日本語");
});

test("once the provider is done, the stream is left, even where it is held open", async () => {
  const { model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.finish({ delta: "Done." });
  expect(await answer).toBe("Done.");
  expect(request.isCancelled).toBe(true);
});

test("after the finish reason the stream is read on, so that usage is not lost", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.stream({ delta: "Hi.", finishReason: "stop" });
  await settled();
  request.say({ usage: { promptTokens: 4, completionTokens: 1 } });
  request.close();
  expect(await answer).toBe("Hi.");
  expect(core.usage).toMatchObject({ totalTokens: 5 });
});

test("a stream that stays open after its finish reason is left after a grace", async () => {
  holdTime();
  const { model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.stream({ delta: "Hi.", finishReason: "stop" });
  await settled();
  request.write(": keep-alive\n\n");
  await settled();
  vi.advanceTimersByTime(finishGrace);
  expect(await answer).toBe("Hi.");
  expect(request.isCancelled).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("a provider that gives a finish reason with every event is read until it says no more", async () => {
  holdTime();
  const { model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.stream();
  for (const delta of ["One", " two", " three"]) {
    request.say({ delta, finishReason: "stop" });
    await settled();
    vi.advanceTimersByTime(finishGrace - 1);
    await settled();
  }
  request.say({ usage: { promptTokens: 1, completionTokens: 3 } });
  await settled();
  vi.advanceTimersByTime(1);
  expect(await answer).toBe("One two three");
});

test("what was finished stays an answer when the connection breaks after it", async () => {
  const { model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.stream({ delta: "Hi.", finishReason: "stop" });
  await settled();
  request.fail(new TypeError("terminated"));
  expect(await answer).toBe("Hi.");
});

test.each(["closed", "broken"])(
  "a stream that is %s before the provider said so is an error, and undone",
  async (how) => {
    const { core, model, send } = createConversation();
    const answer = send();
    const request = await model.next();
    request.stream({ delta: "Half an ans" });
    await nextEvent(core, "content-changed");
    if (how === "closed") request.close();
    else request.fail(new TypeError("terminated"));
    expect(await answer).toBeNull();
    expect(core.error).toBeInstanceOf(Error);
    expect(core.error).toHaveProperty("message", expect.stringContaining("cut off"));
    expect(core.messages).toEqual([]);
    expect([core.loading, core.streaming, core.content]).toEqual([false, false, "Half an ans"]);
  },
);

test("an error that the provider sends in its stream ends the send with it", async () => {
  const { core, model, send } = createConversation();
  core.provider = {
    buildRequest: () => ({ url: "https://model.test", headers: {}, body: "{}" }),
    parseResponse: () => ({ content: "" }),
    parseStreamChunk: (event) =>
      event === "error"
        ? { error: { status: 529, statusText: "overloaded_error", body: "{}" }, done: false }
        : { delta: "Hm", done: false },
  };
  const answer = send();
  const request = await model.next();
  request.stream();
  request.write("data: x\n\nevent: error\ndata: {}\n\n");
  expect(await answer).toBeNull();
  expect(core.error).toEqual({ status: 529, statusText: "overloaded_error", body: "{}" });
  expect([core.messages, core.content]).toEqual([[], "Hm"]);
  expect(request.isCancelled).toBe(true);
});

test("a provider that cannot read an event ends the send with its own error", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  const request = await model.next();
  request.stream();
  request.write("data: {not json\n\n");
  expect(await answer).toBeNull();
  expect(core.error).toBeInstanceOf(SyntaxError);
});

test("a provider that cannot make a reader ends the send with its own error, and the stream", async () => {
  const { core, model, send } = createConversation();
  core.provider = {
    ...plainProvider,
    createStreamReader() {
      throw new Error("No reader.");
    },
  };
  const answer = send();
  const request = await model.next();
  request.stream();
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ message: "No reader." });
  expect(request.isCancelled).toBe(true);
});

test("a provider may read each stream with a memory of its own", async () => {
  const { core, model, send } = createConversation();
  core.provider = {
    buildRequest: () => ({ url: "https://model.test", headers: {}, body: "{}" }),
    parseResponse: () => ({ content: "" }),
    parseStreamChunk: () => null,
    createStreamReader() {
      let count = 0;
      return { read: (_event, data) => (data === "end" ? { done: true } : { delta: `${++count}`, done: false }) };
    },
  };
  for (let turn = 0; turn < 2; turn++) {
    const answer = send();
    const request = await model.next();
    request.stream();
    request.write("data: a\n\ndata: b\n\ndata: end\n\n");
    expect(await answer).toBe("12");
  }
});

test("a model that cannot be reached is an error that names the address", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).fail(new TypeError("fetch failed"));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ message: "https://model.test/answer could not be reached: fetch failed" });
  expect(core.messages).toEqual([]);
});

test("an answer that is no JSON is an error", async () => {
  const { core, model, send } = createConversation();
  const answer = send();
  (await model.next()).respond(new Response("<html>", { headers: { "Content-Type": "text/html" } }));
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ message: expect.stringContaining("https://model.test/answer sent no JSON") });
});

test("what a provider throws while it builds a request or reads an answer becomes the error", async () => {
  const { core, model, send } = createConversation({ stream: false });
  core.provider = {
    ...plainProvider,
    buildRequest: () => {
      throw new Error("No http image.");
    },
  };
  expect(await send()).toBeNull();
  expect(core.error).toMatchObject({ message: "No http image." });
  core.provider = {
    ...plainProvider,
    parseResponse: () => {
      throw Object.assign(new Error("no answer"), { status: 500 });
    },
  };
  const answer = send();
  (await model.next()).json({ content: "" });
  expect(await answer).toBeNull();
  expect(core.error).toMatchObject({ message: "no answer" });
  expect(core.messages).toEqual([]);
});

test("a long answer of many events is told a frame at a time, and in whole at its end", async () => {
  const { core, model, send } = createConversation();
  const heard = record(core, "content-changed");
  const answer = send();
  const request = await model.next();
  request.finish(...Array.from({ length: 1000 }, (_, index) => ({ delta: `${index} ` })));
  const text = await answer;
  expect(text).toMatch(/^0 1 .* 998 999 $/);
  expect(heard.length).toBeLessThan(10);
  expect(heard.at(-1)).toEqual(["content-changed", text]);
  expect(withoutIds(core.messages).at(-1)).toEqual({ role: "assistant", content: text });
});

test("an event of a megabyte is read", async () => {
  const { model, send } = createConversation();
  const answer = send();
  const text = "x".repeat(1024 * 1024);
  (await model.next()).finish({ delta: text });
  expect(await answer).toBe(text);
});
