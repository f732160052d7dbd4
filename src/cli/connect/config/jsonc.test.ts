import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonFormat } from "./config-format.ts";
import { parseJsonc } from "./jsonc.ts";

const { withServer, servers, snippet } = jsonFormat("servers");
const entry = { type: "stdio", command: "npx", args: ["-y", "pagewire", "mcp"] };
const pretty = (indent: string) => JSON.stringify(entry, null, 2).replaceAll("\n", `\n${indent}`);

test("an empty or missing file becomes one with only the server", async () => {
  for (const text of ["", "  \n"])
    expect(await withServer(text, "pagewire", entry)).toBe(`${snippet("pagewire", entry)}\n`);
});

test.each([
  ["without servers", "{}", `{\n  "servers": {\n    "pagewire": ${pretty("    ").replaceAll("\n", "\n")}\n  }\n}`],
  [
    "with other sections",
    `{\n  // who asks\n  "inputs": [1], // here\n}\n`,
    `{\n  // who asks\n  "inputs": [1], // here\n  "servers": {\n    "pagewire": ${pretty("    ")}\n  },\n}\n`,
  ],
  [
    "with an empty section",
    `{\n  "servers": {\n    // none yet\n  }\n}\n`,
    `{\n  "servers": {\n    // none yet\n    "pagewire": ${pretty("    ")}\n  }\n}\n`,
  ],
  [
    "with another server and comments at every place",
    `{ // a\n  "servers": { /* b */\n    "other": { "url": "x" } /* c\n d */ // e\n    // f\n  } // g\n}`,
    `{ // a\n  "servers": { /* b */\n    "other": { "url": "x" }, /* c\n d */\n    "pagewire": ${pretty("    ")} // e\n    // f\n  } // g\n}`,
  ],
  [
    "with trailing commas",
    `{\n  "servers": {\n    "other": {}, // last\n  },\n}`,
    `{\n  "servers": {\n    "other": {}, // last\n    "pagewire": ${pretty("    ")},\n  },\n}`,
  ],
  [
    "on one line",
    `{"servers":{"other":{}},"x":1}`,
    `{"servers":{"other":{}, "pagewire": ${JSON.stringify(entry)}},"x":1}`,
  ],
])("the server is put into a file %s, and every other byte stays", async (_, before, after) => {
  expect(await withServer(before, "pagewire", entry)).toBe(after);
});

test("line ends, indentation and the byte order mark of a file are unchanged", async () => {
  const before = '\u{feff}{\r\n\t"servers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n';
  const after = await withServer(before, "pagewire", { command: "npx" });
  expect(after).toBe(
    '\u{feff}{\r\n\t"servers": {\r\n\t\t"other": {},\r\n\t\t"pagewire": {\r\n\t\t\t"command": "npx"\r\n\t\t}\r\n\t}\r\n}\r\n',
  );
});

test("an existing entry is replaced in place, and keeps its other fields", async () => {
  const before = `{ "servers": { "pagewire": { "url": "http://x/mcp", "alwaysLoad": true }, "other": {} } }`;
  const after = await withServer(before, "pagewire", { command: "npx" });
  expect(await servers(after)).toEqual({ pagewire: { command: "npx", alwaysLoad: true }, other: {} });
  expect(after.replace(/"pagewire": \{[^}]*\}/, "")).toBe(before.replace(/"pagewire": \{[^}]*\}/, ""));
});

test.each([
  [`{ "servers": { "other": {} }`, "line 1, column 29: close brace expected"],
  [`{\n  "servers" {} }`, "line 2, column 13: colon expected"],
  [`{} {}`, "end of file expected"],
  ["[1]", "it should hold an object"],
  [`{ "servers": [] }`, '"servers" should hold the servers by their names'],
  [`{ "servers": {}, "servers": {} }`, 'the file has "servers" twice'],
  [`{ "servers": { "pagewire": {}, "pagewire": {} } }`, '"servers" has "pagewire" twice'],
  [`${"[".repeat(100_000)}`, "values nest too deeply"],
])("%j is not changed, and why is said", async (text, why) => {
  await expect(withServer(text, "pagewire", entry)).rejects.toThrow(why);
});

test("after the edit, any JSON file in any layout has the same content except for the server", async () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue());
  const gap = fc.constantFrom("", " ", "\n", "\n  ", " // note\n", "/* a */", "\r\n\t", "/* a\n b */ ");
  await fc.assert(
    fc.asyncProperty(value, value, fc.array(gap, { minLength: 8, maxLength: 8 }), async (root, others, gaps) => {
      const [a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = ""] = gaps;
      const objects = JSON.stringify(Object.fromEntries(Object.keys(others).map((name) => [name, { x: 1 }])));
      const section = `{${a}${objects.slice(1, -1)}${b}}`;
      const rest = JSON.stringify({ ...root, servers: undefined }).slice(1, -1);
      const text = `${c}{${d}${rest}${rest === "" ? "" : `,${e}`}"servers"${f}:${g}${section}${h}}`;
      const before = parseJsonc(text) as { servers: object };
      const after = parseJsonc(await withServer(text, "pagewire", entry));
      expect(after).toEqual({ ...before, servers: { ...before.servers, pagewire: entry } });
    }),
  );
});
