import fc from "fast-check";
import { expect, test } from "vitest";
import { tomlFormat } from "./config-format.ts";
import { ConfigSyntaxError } from "./config-syntax-error.ts";

const { withServer, servers, snippet, parse } = tomlFormat("mcp_servers");
const entry = { command: "npx", args: ["-y", "pagewire", "mcp"] };
const table = `[mcp_servers.pagewire]\ncommand = "npx"\nargs = ["-y", "pagewire", "mcp"]\n`;

test("a new table is added at the end, and every byte before it is unchanged", async () => {
  expect(await withServer("", "pagewire", entry)).toBe(table);
  const files = [
    `model = "o3" # mine\n\n[mcp_servers.other]\ncommand = "x"\n`,
    `[mcp_servers]\nother = { command = "x" }\n`,
    `# only a comment\n`,
    `text = """\n[mcp_servers.pagewire]\ncommand = "not this"\n"""\n`,
    `list = [\n  "a", # one\n  [ "mcp_servers" ],\n]\n[[points]]\nx = 1\n[[points]]\nx = 2\n`,
  ];
  for (const before of files) expect(await withServer(before, "pagewire", entry)).toBe(`${before}\n${table}`);
  expect(await withServer("a = 1", "pagewire", entry)).toBe(`a = 1\n\n${table}`);
  expect(await withServer("a = 1\r\n", "pagewire", entry)).toBe(`a = 1\r\n\r\n${table.replaceAll("\n", "\r\n")}`);
});

test("the fields of an existing table are replaced; limits, comments and everything else are unchanged", async () => {
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
  expect(await withServer(before, "pagewire", entry)).toBe(
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

test("a header is found in any notation, even as the last line of the file", async () => {
  for (const header of ["[ mcp_servers . pagewire ]", `["mcp_servers".'pagewire']`]) {
    expect(await withServer(`[mcp_servers.pagewire.env]\nA = "1"\n${header}`, "pagewire", entry)).toBe(
      `${header}\n${table.slice(table.indexOf("\n") + 1)}`,
    );
  }
});

test("texts with any characters are read back unchanged", async () => {
  const odd = {
    command: 'C:\\Program Files\\"x"\u007f\t\u0001é',
    args: ["'", "\n", "\u2028"],
    env: { "A B": "", a: "#" },
  };
  expect(await servers(await withServer("", "pagewire", odd))).toEqual({ pagewire: odd });
});

test("a file is parsed as TOML", async () => {
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
  expect(await parse(text)).toMatchObject({
    a: { b: String.raw`C:\x` },
    "c d": 'tab\t quote" é \u{1F600}',
    e: 'one two "" three',
    f: "it's",
    g: [1, 2500, -Infinity, 255, "1979-05-27T07:32:00.000Z", "07:32:00.000", true, false, { x: [], "y z": { w: 1 } }],
    t: { u: {} },
  });
});

test.each([
  [`a = `, "line 1, column 5: invalid value"],
  [`a = 1\na = 2`, "line 2, column 1: trying to redefine"],
  [`a = """open`, "unfinished string"],
  [`a = ${"[".repeat(100_000)}`, "excessively nested"],
  [`mcp_servers = { }`, "in an unusual way"],
  [`[mcp_servers]\npagewire = { url = "x" }`, "in an unusual way"],
  [`mcp_servers.pagewire.url = "x"`, "in an unusual way"],
  [`[[mcp_servers.pagewire]]`, "in an unusual way"],
  [`[[mcp_servers]]\nname = "x"`, '"mcp_servers" should hold the servers by their names'],
])("%j is not changed, and why is said", async (text, why) => {
  await expect(withServer(text, "pagewire", entry)).rejects.toThrow(why);
});

/** Many texts of the next test are not valid, or name the server in a value. Every other refusal is a fault. */
async function attempt(text: string): Promise<string | undefined> {
  try {
    return await withServer(text, "pagewire", entry);
  } catch (error) {
    const isInValue = /^(mcp_servers|pagewire)\b/m.test(text);
    if (error instanceof ConfigSyntaxError && (isInValue || !error.message.includes("unusual"))) return undefined;
    throw error;
  }
}

test("after the edit, a file has the same content except for the server", async () => {
  const name = fc.constantFrom("a", "b", "mcp_servers", "pagewire", "command", "env", "limit", '"q r"');
  const value = fc.constantFrom(`"x"`, "1", "[1, 2]", "{ a = 1 }", `"""\n[x]\n"""`, "2020-01-01");
  const assignment = fc
    .tuple(fc.array(name, { minLength: 1, maxLength: 2 }), value)
    .map(([k, v]) => `${k.join(".")} = ${v}`);
  const header = fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => `[${path.join(".")}]`);
  const ours = fc.constantFrom("[mcp_servers.pagewire]", "[mcp_servers.pagewire.env]", "[mcp_servers.pagewire.limits]");
  const line = fc.oneof(assignment, header, ours, fc.constantFrom("", "# note", "  "));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), async (lines, newline) => {
      const text = lines.join(newline);
      const after = await attempt(text);
      if (after === undefined) return;
      expect((await servers(after))["pagewire"]).toMatchObject(entry);
      const { mcp_servers: old = {}, ...before } = await parse(text);
      const { mcp_servers: now = {}, ...rest } = await parse(after);
      expect(rest).toEqual(before);
      expect({ ...(now as object), pagewire: 0 }).toEqual({ ...(old as object), pagewire: 0 });
    }),
    { numRuns: 1000 },
  );
});

test("the table to insert by hand is complete", () => {
  expect(`${snippet("pagewire", entry)}\n`).toBe(table);
});
