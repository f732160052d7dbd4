import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { parseMessage } from "./message.ts";
import type { RequestMessage } from "./message.ts";
import { modern, request } from "./test-support/messages.test-helper.ts";
import { createParameterHeaders, headerValue, requestHeaders, versionOf } from "./request-headers.ts";

const parsed = (message: object) => parseMessage(JSON.stringify(message)) as RequestMessage;

test.each([
  ["tools/call", { name: "add_to_cart" }, "add_to_cart"],
  ["prompts/get", { name: "Grüße" }, "=?base64?R3LDvMOfZQ==?="],
  ["resources/read", { uri: "shop://cart" }, "shop://cart"],
  ["tools/list", { name: "not looked at" }, undefined],
  ["tools/call", { name: 7 }, undefined],
])("%s with %j says what it is in its headers", (method, params, name) => {
  expect(requestHeaders(parsed(modern(1, method, params)))).toEqual({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  });
});

test("only messages with a version are modern", () => {
  expect(versionOf(parsed(modern(1, "tools/list")))).toBe("2026-07-28");
  expect(versionOf(parsed(request(1, "tools/list", { _meta: { progressToken: 1 } })))).toBeUndefined();
  expect(versionOf(parsed({ jsonrpc: "2.0", id: 1, method: "tools/list" }))).toBeUndefined();
});

test.each([
  ["us-west1", "us-west1"],
  ["two words\tand a tab", "two words\tand a tab"],
  ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
  [" padded ", "=?base64?IHBhZGRlZCA=?="],
  ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
  ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
  ["", "=?base64??="],
])("%j is said in a header as %s", (text, value) => {
  expect(headerValue(text)).toBe(value);
});

test("a value that no header can hold is left out, and the hub refuses it", () => {
  const message = parsed(
    modern(1, "tools/Ä", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026\r\nx: y" } }),
  );
  expect(requestHeaders(message)).toEqual({});
});

const tool = (name: string, properties: JsonObject): JsonObject => ({
  name,
  inputSchema: { type: "object", properties },
});
const place = {
  country: { type: "string", "x-mcp-header": "Country" },
  limit: { type: "integer", "x-mcp-header": "Limit" },
  open: { type: "boolean", "x-mcp-header": "Open" },
  where: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
  list: { type: "array", items: { type: "string", "x-mcp-header": "Item" } },
  bad: { type: "string", "x-mcp-header": "not a name" },
};

test("arguments marked in a tool's schema are copied to headers, also nested ones", () => {
  const headers = createParameterHeaders();
  headers.remember({ tools: [tool("find", place), tool("plain", {})] }, true);
  const given = { country: "Österreich", limit: 42, open: false, where: { city: "Graz" }, list: ["a"], bad: "b" };
  expect(headers.of({ name: "find", arguments: given })).toEqual({
    "mcp-param-country": "=?base64?w5ZzdGVycmVpY2g=?=",
    "mcp-param-limit": "42",
    "mcp-param-open": "false",
    "mcp-param-city": "Graz",
  });
  expect(headers.of({ name: "find", arguments: { country: null, limit: 2 ** 60, where: 7 } })).toEqual({});
  expect(headers.of({ name: "plain", arguments: given })).toEqual({});
  expect(headers.of({ arguments: given })).toEqual({});
});

test("later pages add to a list, and a new list replaces it", () => {
  const headers = createParameterHeaders();
  const call = (name: string) => Object.keys(headers.of({ name, arguments: { country: "at" } }));
  headers.remember({ tools: [tool("one", place)] }, true);
  headers.remember({ tools: [tool("two", place), 7, { name: 7 }] }, false);
  expect([call("one"), call("two")]).toEqual([["mcp-param-country"], ["mcp-param-country"]]);
  headers.remember({ tools: [tool("two", place)] }, true);
  expect([call("one"), call("two")]).toEqual([[], ["mcp-param-country"]]);
  headers.remember({}, true);
  expect(call("two")).toEqual([]);
});
