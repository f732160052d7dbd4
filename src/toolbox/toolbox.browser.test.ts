import { expect, test } from "vitest";
import { answerOf, environment, makeToolbox, resultOf, textOf } from "./call.test-helper.ts";

const frame = () => {
  const element = document.createElement("iframe");
  document.body.append(element);
  return element.contentWindow as Window & typeof globalThis;
};

test("what a page holds and JSON cannot is an error that says where it is and what", async () => {
  const tagged = Object.assign(document.createElement("p"), { __fiber: {} });
  const cases: [unknown, string][] = [
    [document.createElement("div"), "$ is a HTMLDivElement."],
    [{ row: tagged }, "$.row is a HTMLParagraphElement."],
    [{ list: document.querySelectorAll("p") }, "$.list is a NodeList."],
    [window, "$ is a Window."],
    [{ view: frame() }, "$.view is a Window."],
    [document, "$ is a HTMLDocument."],
    [{ file: new File(["x"], "x.txt") }, "$.file is a File."],
    [{ blob: new Blob(["x"]) }, "$.blob is a Blob."],
    [new Response("x"), "$ is a Response."],
    [new FormData(), "$ is a FormData."],
    [{ event: new Event("x") }, "$.event is an Event."],
    [{ buffer: new ArrayBuffer(1) }, "$.buffer is an ArrayBuffer."],
    [{ stream: new ReadableStream() }, "$.stream is a ReadableStream."],
    [new (frame().Map)(), "$ is a Map."],
  ];
  for (const [answer, reason] of cases) {
    const outcome = await answerOf(() => answer);
    expect(outcome).toMatchObject({ isError: true });
    expect(textOf(outcome)).toBe(`The answer of tool "x" cannot be sent: ${reason}`);
  }
});

test("plain objects of another frame, and what has a toJSON of its own, are sent", async () => {
  const other = frame();
  const answer = {
    foreign: other.JSON.parse('{"a":[1]}') as unknown,
    rect: new DOMRect(1, 2, 3, 4),
    url: new URL("https://example.com/"),
  };
  expect(resultOf(await answerOf(() => answer))["structuredContent"]).toEqual({
    foreign: { a: [1] },
    rect: { x: 1, y: 2, width: 3, height: 4, top: 2, right: 4, bottom: 6, left: 1 },
    url: "https://example.com/",
  });
});

test("errors of the browser and of another frame are told by their message", async () => {
  const other = frame();
  const errors = [new DOMException("no camera", "NotFoundError"), new other.Error("no camera")];
  for (const error of errors) expect(textOf(await answerOf(() => Promise.reject(error)))).toBe("no camera");
  expect(await answerOf(() => Promise.reject(new Event("error")))).toMatchObject({ isError: true });
});

test("the validator and the calls are loaded in the browser, and input is checked", async () => {
  const toolbox = makeToolbox();
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  toolbox.registerTool({ name: "double", inputSchema, execute: ({ n }) => String(n * 2) });
  expect(textOf(await toolbox.callTool("double", { n: 2 }, environment()))).toBe("4");
  expect(await toolbox.callTool("double", {}, environment())).toMatchObject({ code: "input-invalid" });
});
