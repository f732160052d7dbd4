import { expect, test } from "vitest";
import { maskedBeginning } from "./mask.ts";

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";
const masked = (value: unknown, most = 4096) => maskedBeginning(JSON.stringify(value), most);

test("fields with names of secrets are masked, whatever the type of their value", () => {
  const names = ["password", "newPassword", "API-Key", "x_api_key", "access_token", "Authorization", "Set-Cookie"];
  for (const name of [...names, "clientSecret", "credentials", "sessionId", "passphrase"]) {
    for (const value of ["hunter2", 7, true, null, ["a", { b: "hunter2" }], { a: '"}', b: ["hunter2"] }]) {
      const text = masked({ before: 1, [name]: value, after: [2] });
      expect(JSON.parse(text), name).toEqual({ before: 1, [name]: "***", after: [2] });
    }
  }
  expect(masked({ name: "Ada", path: "/pass" })).toBe('{"name":"Ada","path":"/pass"}');
});

test("texts that look like secrets are masked wherever they stand, also in JSON in a string", () => {
  for (const [text, shown] of [
    [`see ${jwt}, it is`, "see ***, it is"],
    ["Authorization: Bearer abcdefgh", "Authorization: *** ***"],
    ["use bearer abc.def-123", "use bearer ***"],
    ["https://a.example/?token=abc&x=1", "https://a.example/?token=***&x=1"],
    ["https://ada:hunter2@a.example/", "https://***@a.example/"],
    ["DB_PASSWORD=hunter2\nA=1", "DB_PASSWORD=***\nA=1"],
    ["sk-abcdefghijklmnopqrstuvwx", "***"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END", "***-----END"],
  ])
    expect(JSON.parse(masked({ text }))).toEqual({ text: shown });
  const inner = JSON.stringify({ token: "hunter2", list: [{ note: jwt }] });
  const result = { content: [{ type: "text", text: inner }] };
  const [{ text }] = JSON.parse(masked(result)).content;
  expect(JSON.parse(text)).toEqual({ token: "***", list: [{ note: "***" }] });
});

test("what is long is cut, and nothing secret is left where it was cut", () => {
  const cut = masked({ a: "x".repeat(100) }, 20);
  expect(cut).toBe('{"a":"xxxxxxxxxxxxxx…');
  for (let most = 4; most < 60; most++) {
    const shown = masked({ note: `😀${jwt}`, password: "hunter2", list: ['\\"é', jwt] }, most);
    expect(shown).not.toMatch(/hunter|eyJ[\w-]*\./);
    expect(Array.from(shown).length).toBeLessThanOrEqual(most + 1);
  }
  const long = { password: "p".repeat(100_000), after: 1 };
  expect(masked(long)).toBe('{"password":"***"…');
});

test("bytes, texts that are no JSON, and texts that want to take time are taken as they come", () => {
  expect(maskedBeginning(Buffer.from('{"token":"ä"}'), 100)).toBe('{"token":"***"}');
  expect(maskedBeginning("password=hunter2 [", 100)).toBe("password=*** [");
  expect(maskedBeginning('{"a', 100)).toBe('{"a');
  for (const part of ["eyJ-", "a-", "-----BEGIN ", '"', "{", '{"token":[', "\\", "://a:"]) {
    expect(maskedBeginning(part.repeat(100_000), 4096).length).toBeLessThanOrEqual(4097);
  }
});
