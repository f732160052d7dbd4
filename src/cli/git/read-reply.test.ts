import { expect, test } from "vitest";
import { readReply } from "./credential.ts";

const reply = (structured: object) => readReply({ structured: structured as never, text: "" });

test("a credential is written for git with the page's other attributes", () => {
  const more = {
    password_expiry_utc: 1_796_000_000,
    oauth_refresh_token: "again",
    "capability[]": ["authtype"],
    state: ["a", "b"],
  };
  expect(reply({ username: "ada", password: " s=3 ", ...more, ephemeral: true, nothing: null })).toBe(
    [
      "username=ada",
      "password= s=3 ",
      "password_expiry_utc=1796000000",
      "oauth_refresh_token=again",
      "capability[]=authtype",
      "state[]=a",
      "state[]=b",
      "ephemeral=1",
      "",
    ].join("\n"),
  );
});

test("an answer may be JSON in its text, or tell git to stop", () => {
  expect(readReply({ text: '{"username":"ada","password":"secret"}' })).toBe("username=ada\npassword=secret\n");
  expect(reply({ quit: true })).toBe("quit=1\n");
});

test("an answer cannot name another host, for which git would store the password", () => {
  const elsewhere = { protocol: "https", host: "evil.example", path: "x", url: "https://evil.example", wwwauth: ["x"] };
  expect(reply({ ...elsewhere, username: "ada", password: "secret" })).toBe("username=ada\npassword=secret\n");
});

test.each([
  ["nothing", {}],
  ["a name only", { username: "ada" }],
  ["a line break", { username: "ada\nhost=evil", password: "x" }],
  ["a line break in a list", { password: "x", "state[]": ["a\nhost=evil"] }],
  ["a line break in a name", { password: "x", "a\nhost": "evil" }],
  ["an object", { password: "x", state: {} }],
])("an answer with %s is refused", (_name, structured) => {
  expect(() => reply(structured)).toThrow(expect.objectContaining({ code: "output-invalid" }));
});

test("invalid JSON is refused, and not repeated in the error", () => {
  expect(() => readReply({ text: "hunter2" })).toThrow("The tab's answer is no credential.");
});
