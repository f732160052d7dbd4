import fc from "fast-check";
import { expect, test } from "vitest";
import { tomlFormat } from "./config-format.ts";
import { ConfigSyntaxError } from "./scanner.ts";

const { withServer, servers, snippet, parse } = tomlFormat("mcp_servers");
const entry = { command: "npx", args: ["-y", "pagewire", "mcp"] };
const table = `[mcp_servers.pagewire]\ncommand = "npx"\nargs = ["-y", "pagewire", "mcp"]\n`;

test("CN11: a table that is not there yet comes last, and every byte before it stays", () => {
  expect(withServer("", "pagewire", entry)).toBe(table);
  const files = [
    `model = "o3" # mine\n\n[mcp_servers.other]\ncommand = "x"\n`,
    `[mcp_servers]\nother = { command = "x" }\n`,
    `# only a comment\n`,
    `text = """\n[mcp_servers.pagewire]\ncommand = "not this"\n"""\n`,
    `list = [\n  "a", # one\n  [ "mcp_servers" ],\n]\n[[points]]\nx = 1\n[[points]]\nx = 2\n`,
  ];
  for (const before of files) expect(withServer(before, "pagewire", entry)).toBe(`${before}\n${table}`);
  expect(withServer("a = 1", "pagewire", entry)).toBe(`a = 1\n\n${table}`);
  expect(withServer("a = 1\r\n", "pagewire", entry)).toBe(`a = 1\r\n\r\n${table.replaceAll("\n", "\r\n")}`);
});

test("CN11, CN12: a table that is there has its fields replaced; limits, comments and everything else stay", () => {
  const before = [
    `# first`,
    `[mcp_servers.pagewire] # ours`,
    `url = "http://127.0.0.1:7337/mcp"`,
    `# patience`,
    `tool_timeout_sec = 600`,
    `http_headers = { Authorization = "Bearer x" }`,
    ``,
    `[mcp_servers.pagewire.env]`,
    `PAGEWIRE_TOKEN = "x"`,
    ``,
    `[mcp_servers.pagewire.tools.search]`,
    `approval_mode = "approve"`,
    ``,
    `[mcp_servers.other]`,
    `command = 'x'`,
    ``,
  ].join("\n");
  expect(withServer(before, "pagewire", entry)).toBe(
    [
      `# first`,
      `[mcp_servers.pagewire] # ours`,
      `command = "npx"`,
      `args = ["-y", "pagewire", "mcp"]`,
      `# patience`,
      `tool_timeout_sec = 600`,
      ``,
      ``,
      `[mcp_servers.pagewire.tools.search]`,
      `approval_mode = "approve"`,
      ``,
      `[mcp_servers.other]`,
      `command = 'x'`,
      ``,
    ].join("\n"),
  );
});

test("CN11: a header is found however it is written, also as the last line of the file", () => {
  for (const header of ["[ mcp_servers . pagewire ]", `["mcp_servers".'pagewire']`]) {
    expect(withServer(`[mcp_servers.pagewire.env]\nA = "1"\n${header}`, "pagewire", entry)).toBe(
      `${header}\n${table.slice(table.indexOf("\n") + 1)}`,
    );
  }
});

test("CN11: texts come back as they were, whatever characters they hold", () => {
  const odd = {
    command: 'C:\\Program Files\\"x"\u007f\t\u0001é',
    args: ["'", "\n", "\u2028"],
    env: { "A B": "", a: "#" },
  };
  expect(servers(withServer("", "pagewire", odd))).toEqual({ pagewire: odd });
});

test("CN11: a file is understood as TOML means it", () => {
  const text = String.raw`
a.b = 'C:\x' # literal
"c d" = "tab\t quote\" é \U0001F600"
e = """one \
   two "" three"""
f = '''
it's'''
g = [ 1, 2.5e3, -inf, 0xFF, 1979-05-27T07:32:00Z, 07:32:00, true, false, { x = [], "y z".w = 1, }, ]
[t]
[t.u]
[[v]]
w = 1
[v.x]
[[v]]
w = 2
[v.x]
`;
  expect(parse(text)).toMatchObject({
    a: { b: String.raw`C:\x` },
    "c d": 'tab\t quote" é \u{1F600}',
    e: 'one two "" three',
    f: "it's",
    g: ["1", "2.5e3", "-inf", "0xFF", "1979-05-27T07:32:00Z", "07:32:00", true, false, { x: [], "y z.w": "1" }],
    t: { u: {} },
  });
});

test.each([
  [`a = `, "line 1, column 5: a value is missing"],
  [`a = 1 b = 2`, "the line should end here"],
  [`a 1`, "an equals sign is missing"],
  [`[a`, "] is missing"],
  [`[[a]`, "]] is missing"],
  [`= 1`, "a name is missing"],
  [`a = "open`, "a value is missing"],
  [`a = """open`, "the line should end here"],
  [`a = [1 2]`, "a comma or ] is missing"],
  [`a = { b = 1`, "a comma or } is missing"],
  [`a = "\\q"`, "is no escape of TOML"],
  [`a = 1\na = 2`, "a is defined twice"],
  [`[a]\n[a]`, "a is defined twice"],
  [`a = ${"[".repeat(100_000)}`, "values nest deeper than 200"],
  [`mcp_servers = { }`, "in another form"],
  [`[mcp_servers]\npagewire = { url = "x" }`, "in another form"],
  [`mcp_servers.pagewire.url = "x"`, "in another form"],
  [`[[mcp_servers.pagewire]]`, "in another form"],
  [`[[mcp_servers]]\nname = "x"`, "in another form"],
])("CN13: %j is not changed, and why is said", (text, why) => {
  expect(() => withServer(text, "pagewire", entry)).toThrow(why);
});

/** Many texts of the next test are not valid, or hold the entry in another form. Any other trouble is a fault of ours. */
function attempt(text: string): string | undefined {
  try {
    return withServer(text, "pagewire", entry);
  } catch (error) {
    if (error instanceof ConfigSyntaxError && !error.message.includes("unusual")) return undefined;
    throw error;
  }
}

test("CN11: whatever statements a file holds, it says the same afterwards but for the server", () => {
  const name = fc.constantFrom("a", "b", "mcp_servers", "pagewire", "command", "env", "limit", '"q r"');
  const value = fc.constantFrom(`"x"`, "1", "[1, 2]", "{ a = 1 }", `"""\n[x]\n"""`, "2020-01-01");
  const assignment = fc
    .tuple(fc.array(name, { minLength: 1, maxLength: 2 }), value)
    .map(([k, v]) => `${k.join(".")} = ${v}`);
  const header = fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => `[${path.join(".")}]`);
  const ours = fc.constantFrom("[mcp_servers.pagewire]", "[mcp_servers.pagewire.env]", "[mcp_servers.pagewire.limits]");
  const line = fc.oneof(assignment, header, ours, fc.constantFrom("", "# note", "  "));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), (lines, newline) => {
      const text = lines.join(newline);
      const after = attempt(text);
      if (after === undefined) return;
      expect(servers(after)["pagewire"]).toMatchObject(entry);
      const { mcp_servers: old = {}, ...before } = parse(text);
      const { mcp_servers: now = {}, ...rest } = parse(after);
      expect(rest).toEqual(before);
      expect({ ...(now as object), pagewire: 0 }).toEqual({ ...(old as object), pagewire: 0 });
    }),
    { numRuns: 1000 },
  );
});

test("CN2: the table to put in by hand is a whole one", () => {
  expect(`${snippet("pagewire", entry)}\n`).toBe(table);
});
