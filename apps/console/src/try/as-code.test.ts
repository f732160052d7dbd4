import { expect, test } from "vitest";
import { snippetsOf } from "./as-code.ts";
import type { WrittenCall } from "./as-code.ts";

const call: WrittenCall = {
  method: "tools/call",
  name: "add_note",
  tabId: "3kPz0dWq1yXb7VtA",
  arguments: { text: "it's $HOME", days: 7 },
};
const textsOf = (given: WrittenCall, origin = "http://127.0.0.1:7337") =>
  snippetsOf(given, origin).map(({ text }) => text);

test("a tool's call is a command, a request, a message and a program", () => {
  const [command, curl, mcp, program] = textsOf(call);
  expect(command).toBe(`npx pagewire call --tab 3kPz0dWq1yXb7VtA add_note '{"text":"it'\\''s $HOME","days":7}'`);
  expect(curl).toContain("curl -s http://127.0.0.1:7337/api/call/add_note \\\n  -H");
  expect(JSON.parse(mcp ?? "")).toMatchObject({
    method: "tools/call",
    params: { name: "add_note", arguments: { days: 7 } },
  });
  expect(program).toContain(`  tab: "3kPz0dWq1yXb7VtA",\n  arguments: {\n    "text": "it's $HOME",`);
});

test("another hub is named, and what a shell would read is quoted", () => {
  const [command] = textsOf({ ...call, name: "rm; $(x)", arguments: {} }, "http://127.0.0.1:7400");
  expect(command).toBe("npx pagewire call --tab 3kPz0dWq1yXb7VtA --hub http://127.0.0.1:7400 'rm; $(x)'");
  expect(textsOf({ ...call, name: "-x", arguments: {} })[0]).toContain(" -- -x");
});

test("a resource is read by its URI, and has no command", () => {
  const [mcp, program, ...more] = textsOf({ ...call, method: "resources/read", name: "notes://all", arguments: {} });
  expect(JSON.parse(mcp ?? "")).toMatchObject({ method: "resources/read", params: { uri: "notes://all" } });
  expect([program?.includes(`method: "resources/read",`), more.length]).toEqual([true, 0]);
});
