import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { formatCredential, parseCredential, readCredential } from "./credential.ts";

test("values are unchanged, with blanks and equals signs, and unknown attributes are passed on", () => {
  const text = [
    "protocol=https",
    "host=git.example.com:8443",
    "path=ada/shop.git",
    "username= ada ",
    "password=a=b= ",
    "password_expiry_utc=1796000000",
    "oauth_refresh_token=again",
    "some_later_word=yes",
    "",
    "host=after-the-end",
  ].join("\n");
  expect(parseCredential(text)).toEqual({
    protocol: "https",
    host: "git.example.com:8443",
    path: "ada/shop.git",
    username: " ada ",
    password: "a=b= ",
    password_expiry_utc: "1796000000",
    oauth_refresh_token: "again",
    some_later_word: "yes",
  });
});

test("repeated attributes keep their values in order, and an empty value resets them", () => {
  const text = 'capability[]=authtype\ncapability[]=state\nwwwauth[]=old\nwwwauth[]=\nwwwauth[]=Basic realm="a=b"\n';
  const attributes = { "capability[]": ["authtype", "state"], "wwwauth[]": ['Basic realm="a=b"'] };
  expect(parseCredential(text)).toEqual(attributes);
  expect(formatCredential(attributes)).toBe('capability[]=authtype\ncapability[]=state\nwwwauth[]=Basic realm="a=b"\n');
});

test.each([
  ["https://git.example.com", { protocol: "https", host: "git.example.com" }],
  [
    "https://ada:p%40ss%3A@git.example.com:8443/ada/shop.git/",
    { protocol: "https", host: "git.example.com:8443", path: "ada/shop.git", username: "ada", password: "p@ss:" },
  ],
  ["https://@git.example.com/", { protocol: "https", host: "git.example.com", username: "" }],
  ["cert:///home/ada/key%20one", { protocol: "cert", host: "", path: "home/ada/key one" }],
])("the url %s is read into its parts, in place of those said before", (url, parts) => {
  expect(parseCredential(`protocol=http\npath=old\nusername=old\npassword=old\nurl=${url}\n`)).toEqual(parts);
});

test.each([
  ["a NUL", "protocol=https\nhost=good\0host=evil\n"],
  ["a carriage return", "protocol=https\nhost=good\rhost=evil\n"],
  ["a line break in a url", "url=https://good%0ahost=evil/\n"],
  ["a NUL in a url's password", "url=https://ada:x%00@good/\n"],
])("%s in what git says is refused", (_name, text) => {
  expect(() => parseCredential(text)).toThrow(/line break or a NUL/);
});

test.each(["protocol", "=https", "url=nowhere", "url=https://%E0%A4%A/"])("a line such as %s is refused", (line) => {
  expect(() => parseCredential(`${line}\n`)).toThrow(expect.objectContaining({ code: "input-invalid" }));
});

test("no value for git can add a line", () => {
  for (const end of ["\n", "\r", "\0"]) {
    expect(() => formatCredential({ password: `x${end}host=evil` })).toThrow(/line break or a NUL/);
    expect(() => formatCredential({ "wwwauth[]": ["fine", `x${end}`] })).toThrow(/line break or a NUL/);
  }
  for (const name of ["", "a=b", "a\nhost", "host[]x"]) {
    expect(() => formatCredential({ [name]: "x" })).toThrow(/is no name/);
  }
});

test("reading ends at a blank line, even if the input stays open", async () => {
  const open = new Readable({ read() {} });
  open.push("protocol=https\nho");
  open.push("st=git.example.com\n\n");
  expect(await readCredential(open)).toEqual({ protocol: "https", host: "git.example.com" });
});

test("invalid UTF-8 and endless input are refused", async () => {
  await expect(readCredential(Readable.from([Buffer.from("password=\xff\n", "latin1")]))).rejects.toThrow(/not UTF-8/);
  const endless = Readable.from(
    (function* () {
      for (;;) yield "wwwauth[]=more\n".repeat(1000);
    })(),
  );
  await expect(readCredential(endless)).rejects.toThrow(/does not end/);
});
