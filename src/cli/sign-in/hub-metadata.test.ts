import { expect, test } from "vitest";
import { signInAddress } from "./hub-metadata.ts";

test.each([
  ...["", "/", "/mcp", "/mcp/", "/mcp/tabs/Xb3fQ0aZ19kLmN2c", "/console/people?x=1#top", "/agent", "/sign-in"].map(
    (path) => [`https://hub.example.com${path}`, "https://hub.example.com"],
  ),
  ["hub.example.com:8443/mcp", "https://hub.example.com:8443"],
  ["wss://hub.example.com/agent", "https://hub.example.com"],
  ["https://example.com/pagewire/mcp/", "https://example.com/pagewire"],
  ["https://example.com/mcp-hub", "https://example.com/mcp-hub"],
])("CL63: the address %s is that of the hub %s", (given, hub) => {
  expect(signInAddress(given)).toBe(hub);
});

test.each([
  ["http://hub.example.com/mcp", "others on the way could take the token"],
  ["ws://hub.example.com", "Write: npx pagewire login https://hub.example.com"],
  ["http://127.0.0.1:7337", "A hub of this machine needs no sign-in"],
])("CL63: nobody signs in over plain http, as at %s", (given, message) => {
  expect(() => signInAddress(given)).toThrow("over https only");
  expect(() => signInAddress(given)).toThrow(message);
});

test("CL63: a user and a password in the address are refused, not left out in silence", () => {
  for (const given of ["https://ada:secret@hub.example.com", "ada@hub.example.com/mcp"])
    expect(() => signInAddress(given)).toThrow("no user and no password");
});
