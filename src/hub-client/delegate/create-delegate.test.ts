import { afterEach, expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { createDelegate } from "./create-delegate.ts";
import { DelegateError } from "./delegate.ts";
import type { DelegateOptions } from "./delegate.ts";
import { openScriptedDoor } from "./scripted-door.test-helper.ts";
import type { DoorRequest, ScriptedDoor } from "./scripted-door.test-helper.ts";

const doors: ScriptedDoor[] = [];
afterEach(async () => {
  for (const door of doors.splice(0)) await door.close();
});

async function open(handle: (request: DoorRequest) => void, options: Partial<DelegateOptions> = {}) {
  const door = await openScriptedDoor(handle);
  doors.push(door);
  return { door, tab: createDelegate({ url: door.url, token: "secret", browserId: "terminal-1", ...options }) };
}

const ok = { cmd: "browser_response", id: "7", status: "ok" };

/** The error that a call rejects with. */
async function failureOf(promise: Promise<unknown>): Promise<DelegateError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof DelegateError) return error;
  throw new Error("It did not fail as it should have.", { cause: error });
}

test("a call sends the terminal's token, its id and the arguments, and returns the answer's text", async () => {
  const { door, tab } = await open(({ answer }) => answer(200, { ...ok, result: "Done." }));
  expect(await tab.call("greet", { name: "Ada" })).toEqual({ text: "Done." });
  const [{ method, path, headers, body } = {}] = door.requests;
  expect([method, path]).toEqual(["POST", "/api/browser-delegate"]);
  expect(headers?.authorization).toBe("Bearer secret");
  expect(headers?.["content-type"]).toBe("application/json");
  expect(body).toEqual({ action: "greet", browser_id: "terminal-1", name: "Ada" });
});

test("the id and the token are read for every call", async () => {
  let count = 0;
  const { door, tab } = await open(({ answer }) => answer(200, { ...ok, result: "" }), {
    token: () => `token-${count}`,
    browserId: async () => `id-${++count}`,
  });
  await tab.call("greet");
  await tab.call("greet");
  expect(door.requests.map(({ body }) => body["browser_id"])).toEqual(["id-1", "id-2"]);
  expect(door.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
});

test("timeout and key are sent in headers", async () => {
  const { door, tab } = await open(({ answer }) => answer(200, { ...ok, result: "", replay: true, notSaved: true }));
  expect(await tab.call("greet", {}, { timeout: 7500, key: "key-1" })).toEqual({
    text: "",
    replay: true,
    notSaved: true,
  });
  const [{ headers } = {}] = door.requests;
  expect([headers?.["pagewire-timeout"], headers?.["idempotency-key"]]).toEqual(["7.5", "key-1"]);
});

test("structured values, blocks of content and fields are distinguished", async () => {
  const answers = [
    { ...ok, result: '{"n":1}', structured: { n: 1 } },
    { ...ok, result: "a picture", content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
    { cmd: "browser_response", id: "9", status: 404, headers: { a: "b" }, body: "not here" },
  ];
  const { tab } = await open(({ answer }) => answer(200, answers.shift()));
  expect(await tab.call("one")).toEqual({ text: '{"n":1}', structured: { n: 1 } });
  expect(await tab.call("two")).toEqual({
    text: "a picture",
    content: [{ type: "image", data: "AA==", mimeType: "image/png" }],
  });
  const fields = { status: 404, headers: { a: "b" }, body: "not here" };
  expect(await tab.call("fetch", { url: "/x" })).toEqual({ text: JSON.stringify(fields), fields });
});

test("an action may have arguments with the names that the request itself uses", async () => {
  const { door, tab } = await open(({ answer }) => answer(200, { ...ok, result: "" }));
  await tab.call("door", { action: "open", browser_id: 3 });
  const [{ headers, body } = {}] = door.requests;
  expect(body).toEqual({ action: "open", browser_id: 3 });
  expect([headers?.["pagewire-action"], headers?.["pagewire-browser-id"]]).toEqual(["door", "terminal-1"]);
});

test("a refusal has the hub's code and message, and whether the action ran", async () => {
  const { tab } = await open(({ answer }) =>
    answer(
      502,
      {
        detail: "Browser connection not available",
        message: "The tab is gone.",
        code: "tab-gone",
        outcome: "page-gone",
        ran: "no",
      },
      { "retry-after": "3" },
    ),
  );
  const { code, message, outcome, ran, retryAfter } = await failureOf(tab.call("greet"));
  expect({ code, message, outcome, ran, retryAfter }).toEqual({
    code: "tab-gone",
    message: "The tab is gone.",
    outcome: "page-gone",
    ran: "no",
    retryAfter: 3000,
  });
});

test.each([
  {
    what: "an error of the hub's other doors",
    status: 421,
    body: { error: { code: "host-refused", message: "Not here." } },
    code: "host-refused",
    says: "Not here.",
  },
  {
    what: "a code that is not known",
    status: 502,
    body: { detail: "Odd.", code: "from-the-future" },
    code: "internal-error",
    says: "Odd.",
  },
  {
    what: "what is no hub",
    status: 404,
    body: "<html>",
    code: "hub-unreachable",
    says: "but not as a hub: it says 404.",
  },
  { what: "an answer that is none", status: 200, body: [1], code: "frame-malformed", says: "it is no JSON object" },
  {
    what: "an answer without its text",
    status: 200,
    body: { status: "ok" },
    code: "frame-malformed",
    says: "it is no JSON object",
  },
  {
    what: "a redirect, which is not followed",
    status: 302,
    body: {},
    code: "hub-unreachable",
    says: "but not as a hub: it says 302.",
  },
])("$what fails by its name", async ({ status, body, code, says }) => {
  const { tab } = await open(({ answer }) => answer(status, body, { location: "http://127.0.0.1:1/" }));
  const error = await failureOf(tab.call("greet"));
  expect(error.code).toBe(code);
  expect(error.message).toContain(says);
});

test("without a hub the error has advice", async () => {
  const { door, tab } = await open(() => {});
  await door.close();
  const error = await failureOf(tab.call("greet"));
  expect([error.code, error.ran]).toEqual(["hub-unreachable", "no"]);
  expect(error.message).toMatch(/^No hub answers at http:.*ECONNREFUSED.*Start it with: npx pagewire$/);
});

test.each([
  { what: "a connection that was refused", cause: { code: "ECONNREFUSED" }, code: "hub-unreachable", ran: "no" },
  { what: "a name that is not known", cause: { code: "ENOTFOUND" }, code: "hub-unreachable", ran: "no" },
  {
    what: "a connection that took too long",
    cause: { code: "ETIMEDOUT", syscall: "connect" },
    code: "hub-unreachable",
    ran: "no",
  },
  {
    what: "several addresses of which none answers",
    cause: { code: "ETIMEDOUT", message: "", errors: [{ syscall: "connect" }] },
    code: "hub-unreachable",
    ran: "no",
  },
  {
    what: "a certificate that is not good",
    cause: { code: "CERT_HAS_EXPIRED" },
    code: "hub-unreachable",
    ran: "no",
  },
  {
    what: "a request that was lost on the way",
    cause: { code: "ETIMEDOUT", syscall: "read" },
    code: "outcome-unknown",
    ran: "maybe",
  },
  {
    what: "an answer that is no HTTP",
    cause: { code: "HPE_INVALID_CONSTANT" },
    code: "outcome-unknown",
    ran: "maybe",
  },
  { what: "what a browser keeps to itself", cause: undefined, code: "hub-unreachable", ran: "maybe" },
])("$what: only what cannot have been sent is said not to have run", async ({ cause, code, ran }) => {
  const error = new TypeError("fetch failed", { cause: cause && Object.assign(new Error("why"), cause) });
  const { tab } = await open(() => {}, { fetch: () => Promise.reject(error) });
  expect(await failureOf(tab.call("greet"))).toMatchObject({ code, ran });
});

test("a connection that breaks during a request leaves the outcome unknown", async () => {
  const { tab } = await open(({ response }) => response.destroy());
  expect(await failureOf(tab.call("greet"))).toMatchObject({ code: "outcome-unknown", ran: "maybe" });
  const half = await open(({ response }) => {
    response.writeHead(200);
    response.write('{"status":', () => response.destroy());
  });
  expect(await failureOf(half.tab.call("greet"))).toMatchObject({ code: "outcome-unknown", ran: "maybe" });
});

test("an endless answer is cut off at the limit", async () => {
  const { tab } = await open(({ answer }) => answer(200, { ...ok, result: "x".repeat(300) }), {
    limits: { frameBytes: 200 },
  });
  expect(await failureOf(tab.call("greet"))).toMatchObject({ code: "result-too-large", ran: "maybe" });
  const lines = await open(({ response }) => void response.writeHead(200).write("x".repeat(300)), {
    limits: { frameBytes: 200 },
  });
  const call = lines.tab.call("greet", {}, { onChunk: () => {} });
  expect(await failureOf(call)).toMatchObject({ code: "result-too-large", ran: "maybe" });
  await lines.door.requests[0]?.cutOff;
});

test("a silent hub times out after the call's timeout and ten seconds", async () => {
  const clock = createFakeClock();
  let came = () => {};
  const asked = new Promise<void>((resolve) => (came = resolve));
  const { door, tab } = await open(() => came(), { clock });
  const call = failureOf(tab.call("greet", {}, { timeout: 5000 }));
  await asked;
  await clock.advance(14_999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(await call).toMatchObject({ code: "deadline-exceeded", ran: "maybe" });
  expect(clock.pending).toBe(0);
  await door.requests[0]?.cutOff;
});

test("the signal aborts the request, which cancels the action, and the reason is reported", async () => {
  const aborter = new AbortController();
  const { door, tab } = await open(() => aborter.abort(new Error("Not any more.")));
  const error = await failureOf(tab.call("greet", {}, { signal: aborter.signal }));
  expect(error).toMatchObject({ code: "cancelled", message: "Not any more.", outcome: "cancelled", ran: "maybe" });
  await door.requests[0]?.cutOff;
  expect(await failureOf(tab.call("greet", {}, { signal: aborter.signal }))).toMatchObject({ ran: "no" });
  expect(door.requests).toHaveLength(1);
});

test("chunks and progress arrive as they were sent, however the lines were split on the way", async () => {
  const lines = [
    { type: "chunk", delta: "Grüße, " },
    { type: "progress", progress: 1, total: 2, message: "half" },
    { type: "from-the-future" },
    { type: "chunk", delta: "Welt" },
    { type: "done", result: { status: "ok", result: "Grüße, Welt" } },
  ];
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n\n`).join(""));
  const { door, tab } = await open(({ response }) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const writeFrom = (at: number) =>
      void (at < bytes.length ? response.write(bytes.subarray(at, at + 1), () => writeFrom(at + 1)) : response.end());
    writeFrom(0);
  });
  const heard: unknown[] = [];
  const result = await tab.call(
    "write",
    {},
    { onChunk: (delta) => heard.push(delta), onProgress: (progress) => heard.push(progress) },
  );
  expect(result).toEqual({ text: "Grüße, Welt" });
  expect(heard).toEqual(["Grüße, ", { progress: 1, total: 2, message: "half" }, "Welt"]);
  const [{ path, headers } = {}] = door.requests;
  expect([path, headers?.["pagewire-progress"]]).toEqual(["/api/browser-delegate/stream", "1"]);
});

test("each chunk is delivered before the next one arrives", async () => {
  let next: (() => void) | undefined;
  const { tab } = await open(({ response }) => {
    response.writeHead(200);
    response.write('{"type":"chunk","delta":"one"}\n');
    next = () => response.end('{"type":"done","result":{"status":"ok","result":"one"}}\n');
  });
  const heard: string[] = [];
  const onChunk = (delta: string) => {
    heard.push(delta);
    next?.();
  };
  await tab.call("write", {}, { onChunk });
  expect(heard).toEqual(["one"]);
});

test.each([
  [
    '{"type":"error","error":"No.","code":"action-refused","outcome":"tool-error","ran":"yes"}\n',
    "action-refused",
    "No.",
  ],
  ["nonsense\n", "frame-malformed", "no JSON object"],
  ['{"type":"done"}\n', "frame-malformed", "cannot be read"],
  ['{"type":"chunk","delta":"a"}\n', "outcome-unknown", "ended before its end arrived"],
])("a stream of %s fails by its name", async (text, code, message) => {
  const { tab } = await open(({ response }) => void response.writeHead(200).end(text));
  const error = await failureOf(tab.call("write", {}, { onChunk: () => {} }));
  expect(error.code).toBe(code);
  expect(error.message).toContain(message);
});

test("a listener that throws ends the call with its error, and the stream with it", async () => {
  const { door, tab } = await open(({ response }) => {
    response.writeHead(200);
    response.write('{"type":"chunk","delta":"one"}\n');
  });
  const call = tab.call("write", {}, { onChunk: () => expect.fail("of the listener") });
  await expect(call).rejects.toThrow("of the listener");
  await door.requests[0]?.cutOff;
});

test("the tab's actions are listed with the tab", async () => {
  const tabInfo = { id: "t1", title: "Shop", origin: "http://shop.example", url: "http://shop.example/", app: "shop" };
  const actions = [{ name: "greet", description: "Greets.", inputSchema: { type: "object" } }];
  const answers: unknown[] = [
    { browser_id: "b1", tab: tabInfo, actions },
    { browser_id: "b1", tab: {}, actions },
  ];
  const { door, tab } = await open(({ answer }) => answer(200, answers.shift()));
  expect(await tab.actions()).toEqual({ browserId: "b1", tab: tabInfo, actions });
  expect([door.requests[0]?.method, door.requests[0]?.path]).toEqual(["GET", "/api/browser-delegate/actions"]);
  expect(await failureOf(tab.actions())).toMatchObject({ code: "frame-malformed" });
});

test.each([
  [{ timeout: 0 }, "options-invalid"],
  [{ key: "with space" }, "options-invalid"],
] as const)("a call with %j is refused before anything is sent", async (options, code) => {
  const { door, tab } = await open(({ answer }) => answer(200, ok));
  expect(await failureOf(tab.call("greet", {}, options))).toMatchObject({ code, ran: "no" });
  expect(door.requests).toEqual([]);
});

test("invalid ids and tokens are refused, and no error contains a token", async () => {
  for (const browserId of ["", "two words", "a\nb", "ä"]) {
    const { door, tab } = await open(({ answer }) => answer(200, ok), { browserId });
    expect(await failureOf(tab.call("greet"))).toMatchObject({ code: "options-invalid", ran: "no" });
    expect(door.requests).toEqual([]);
  }
  for (const token of ["", "geheim\r\nHost: x", "geheim ä"]) {
    const { door, tab } = await open(({ answer }) => answer(200, ok), { token: () => token });
    for (const error of [await failureOf(tab.call("greet")), await failureOf(tab.actions())]) {
      expect(error).toMatchObject({ code: "options-invalid", ran: "no" });
      expect(error.message).not.toContain("geheim");
    }
    expect(door.requests).toEqual([]);
  }
});

test("invalid arguments, names and addresses are refused by name", async () => {
  const { tab } = await open(({ answer }) => answer(200, ok));
  expect(await failureOf(tab.call("greet", { n: 1n as never }))).toMatchObject({ code: "arguments-malformed" });
  expect(await failureOf(tab.call("a b"))).toMatchObject({ code: "tool-not-found", message: "Unknown action: a b" });
  for (const url of ["ftp://hub", "hub", "http://me:pw@hub"])
    expect(() => createDelegate({ url, token: "t", browserId: "b" })).toThrow(/is not the address of a hub/);
});

test("a server that does not prove that it knows the terminal gets neither its token nor the request", async () => {
  const token = `pagewire-terminal.${"t".repeat(43)}`;
  const { door, tab } = await open(({ answer }) => answer(200, { ...ok, result: "Done." }), { token });
  const { code, ran } = await failureOf(tab.call("copy", { text: "secret words" }));
  expect([code, ran]).toEqual(["hub-not-proven", "no"]);
  expect(door.requests).toEqual([expect.objectContaining({ method: "GET", body: {} })]);
  expect(door.requests[0]?.path).toMatch(/^\/api\/proof\?secret=given&/);
  expect(JSON.stringify(door.requests.map(({ path, headers }) => [path, headers]))).not.toContain(token);
});
