import { expect, test, vi } from "vitest";
import { PagewireError, errorCodes, errorNames, isErrorCode, messageOf } from "./errors.ts";

test("the error codes are these, permanently, and each has its meaning", () => {
  expect(errorNames).toEqual([
    "frame-malformed",
    "frame-too-large",
    "version-unsupported",
    "hello-expected",
    "hello-late",
    "sockets-too-many",
    "channels-too-many",
    "host-refused",
    "origin-not-allowed",
    "token-required",
    "token-invalid",
    "token-expired",
    "code-invalid",
    "scope-needed",
    "admin-needed",
    "identity-unavailable",
    "tab-replaced",
    "tab-disconnected",
    "too-slow",
    "heartbeat-missed",
    "going-away",
    "hub-unreachable",
    "hub-not-proven",
    "server-unreachable",
    "window-unreachable",
    "local-network-denied",
    "part-missing",
    "address-in-use",
    "address-refused",
    "options-invalid",
    "request-malformed",
    "route-not-found",
    "method-not-allowed",
    "body-too-large",
    "tool-not-found",
    "tool-ambiguous",
    "offer-not-found",
    "tab-not-found",
    "tab-gone",
    "tab-suspended",
    "not-delivered",
    "calls-too-many",
    "policy-denied",
    "policy-rate",
    "policy-unasked",
    "policy-declined",
    "arguments-malformed",
    "input-invalid",
    "output-invalid",
    "handler-failed",
    "result-unsendable",
    "result-too-large",
    "deadline-exceeded",
    "cancelled",
    "key-conflict",
    "key-expired",
    "outcome-unknown",
    "ask-unsupported",
    "ask-failed",
    "offers-too-many",
    "offers-too-large",
    "tabs-too-many",
    "schema-invalid",
    "schema-too-large",
    "name-invalid",
    "name-taken",
    "tool-refused",
    "pieces-lost",
    "action-refused",
    "action-unavailable",
    "browser-unknown",
    "browser-missing",
    "terminal-not-found",
    "terminals-too-many",
    "terminal-unavailable",
    "model-missing",
    "option-refused",
    "conversation-not-found",
    "conversation-full",
    "session-not-found",
    "windows-too-many",
    "requests-too-many",
    "quota-exceeded",
    "store-damaged",
    "not-saved",
    "bus-unavailable",
    "internal-error",
  ]);
  expect(Object.keys(errorCodes)).toEqual(errorNames);
  for (const meaning of Object.values(errorCodes)) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

test("only a code of the table is an error code", () => {
  expect(isErrorCode("too-slow")).toBe(true);
  for (const value of ["", "slow", "toString", "__proto__", "constructor", 4021, null, undefined, ["too-slow"]]) {
    expect(isErrorCode(value)).toBe(false);
  }
});

test("an error has a code, a message, and optionally a cause and a time to wait", () => {
  const cause = new Error("refused");
  const error = new PagewireError("hub-unreachable", "No hub answers.", { cause, retryAfter: 500 });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "PagewireError",
    code: "hub-unreachable",
    message: "No hub answers.",
    retryAfter: 500,
  });
  expect(error.cause).toBe(cause);
  const plain = new PagewireError("too-slow", "Too slow.");
  expect([plain.retryAfter, "cause" in plain]).toEqual([undefined, false]);
});

test("an error is recognized as Pagewire's, whichever loaded copy made it", async () => {
  vi.resetModules();
  const other = await import("./errors.ts");
  expect(other.PagewireError).not.toBe(PagewireError);
  expect(PagewireError.isInstance(new other.PagewireError("too-slow", ""))).toBe(true);
  expect(other.PagewireError.isInstance(new PagewireError("too-slow", ""))).toBe(true);
  for (const value of [new Error("too-slow"), { code: "too-slow" }, "too-slow", null, undefined]) {
    expect(PagewireError.isInstance(value)).toBe(false);
  }
});

test("a value that throws on access is not an error of Pagewire", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(PagewireError.isInstance(proxy)).toBe(false);
  expect(messageOf(proxy)).toBe("A value that is not an error was thrown: object");
});

test("anything thrown has a message", () => {
  class Nameless extends Error {}
  const unspeakable = {
    toString() {
      throw new Error("no");
    },
  };
  expect(messageOf(new Error("broken"))).toBe("broken");
  expect(messageOf(new TypeError())).toBe("TypeError");
  expect(messageOf(new Nameless())).toBe("Error");
  expect(messageOf("broken")).toBe("broken");
  expect(messageOf({ message: "from another realm" })).toBe("from another realm");
  const locked = Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("no");
    },
  });
  const others: [unknown, string][] = [
    [locked, "object"],
    [7, "7"],
    ["", ""],
    [null, "null"],
    [undefined, "undefined"],
    [{}, "[object Object]"],
    [unspeakable, "object"],
  ];
  for (const [thrown, words] of others) {
    expect(messageOf(thrown)).toBe(`A value that is not an error was thrown: ${words}`);
  }
});
