import { expect, test, vi } from "vitest";
import { environment, makeToolbox, resultOf } from "./call.test-helper.ts";
import type { ResourceAnswer, ResourceDefinition, ResourceTemplateDefinition } from "./definitions.ts";

test("a resource is read by its URI; text, blobs and MCP results become contents", async () => {
  const toolbox = makeToolbox();
  const uri = "app://report";
  const whole = { contents: [{ uri, text: "a" }], _meta: { a: 1 } };
  const answers: [ResourceAnswer, object][] = [
    ["hello", { contents: [{ uri, mimeType: "text/csv", text: "hello" }] }],
    [{ text: "hello" }, { contents: [{ uri, mimeType: "text/csv", text: "hello" }] }],
    [{ text: "<p>", mimeType: "text/html" }, { contents: [{ uri, mimeType: "text/html", text: "<p>" }] }],
    [{ blob: "aGk=" }, { contents: [{ uri, mimeType: "text/csv", blob: "aGk=" }] }],
    [whole, whole],
  ];
  for (const [answer, result] of answers) {
    const read = vi.fn<ResourceDefinition["read"]>(async () => answer);
    toolbox.registerResource({ uri, name: "Report", mimeType: "text/csv", read });
    const outcome = await toolbox.readResource(uri, environment());
    expect(outcome).toMatchObject({ kind: "result", isError: false });
    expect(resultOf(outcome)).toEqual(result);
    expect(read).toHaveBeenCalledExactlyOnceWith(uri, expect.objectContaining({ callId: "call-1" }));
  }
});

test("a URI that a template describes is read with its variables, unless a resource has it", async () => {
  const toolbox = makeToolbox();
  const read = vi.fn<ResourceTemplateDefinition["read"]>((uri) => uri);
  toolbox.registerResourceTemplate({ uriTemplate: "app://orders/{id}/{part}", name: "Order", read });
  toolbox.registerResource({ uri: "app://orders/1/all", name: "First", read: () => "first" });
  const text = async (uri: string) =>
    (resultOf(await toolbox.readResource(uri, environment())) as { contents: { text: string }[] }).contents[0]?.text;
  expect(await text("app://orders/1/all")).toBe("first");
  expect(await text("app://orders/7%2F8/lines")).toBe("app://orders/7%2F8/lines");
  expect(read).toHaveBeenCalledExactlyOnceWith(
    "app://orders/7%2F8/lines",
    { id: "7/8", part: "lines" },
    expect.objectContaining({ callId: "call-1" }),
  );
});

test("a resource that is not there is refused by its URI", async () => {
  expect(await makeToolbox().readResource("app://nope", environment())).toEqual({
    kind: "refused",
    code: "offer-not-found",
    message: 'There is no resource "app://nope" here.',
  });
});

test("a handler that throws, or answers in no form of a resource, is a failure and not a result", async () => {
  const toolbox = makeToolbox();
  const register = (read: () => unknown) =>
    toolbox.registerResource({ uri: "app://r", name: "r", read: read as () => string });
  const malformed = [
    { contents: [1] },
    { contents: [{ uri: "app://r" }] },
    { text: "x", blob: 5 },
    { text: "", uri: 5 },
  ];
  const unsendable = [undefined, null, 5, [], {}, { text: 5 }, { contents: "x" }, { text: "a", size: 1n }];
  for (const answer of [...unsendable, ...malformed]) {
    register(() => answer);
    expect(await toolbox.readResource("app://r", environment())).toMatchObject({
      kind: "failed",
      code: "result-unsendable",
      message: expect.stringContaining('resource "app://r"') as string,
    });
  }
  register(() => {
    throw new Error("disk full");
  });
  expect(await toolbox.readResource("app://r", environment())).toEqual({
    kind: "failed",
    code: "handler-failed",
    message: "disk full",
  });
});

test("a read that is too large fails, and one that is aborted ends at once", async () => {
  const toolbox = makeToolbox({ limits: { frameBytes: 200, headerBytes: 100 } });
  toolbox.registerResource({ uri: "app://r", name: "r", read: () => "x".repeat(200) });
  expect(await toolbox.readResource("app://r", environment())).toMatchObject({
    kind: "failed",
    code: "result-too-large",
  });
  const controller = new AbortController();
  toolbox.registerResource({
    uri: "app://r",
    name: "r",
    read: () => {
      controller.abort();
      return new Promise<string>(() => {});
    },
  });
  const outcome = await toolbox.readResource("app://r", environment({ signal: controller.signal }));
  expect(outcome).toEqual({ kind: "aborted" });
});
