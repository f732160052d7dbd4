import { expect, test } from "vitest";
import { closeCodes, closeNameOf, closeReason } from "./close-codes.ts";
import { cutOff, linkCloseCodes, linkCloseReason } from "./link-close-codes.ts";

test("W19: the close codes are these, for good", () => {
  expect(closeCodes).toEqual({
    normal: 1000,
    "going-away": 1001,
    "frame-malformed": 4000,
    "frame-too-large": 4001,
    "version-unsupported": 4002,
    "hello-expected": 4003,
    "hello-late": 4004,
    "sockets-too-many": 4005,
    "channels-too-many": 4006,
    "origin-not-allowed": 4010,
    "token-required": 4011,
    "token-invalid": 4012,
    "token-expired": 4013,
    "tab-replaced": 4020,
    "too-slow": 4021,
    "heartbeat-missed": 4022,
    "tabs-too-many": 4023,
    "offers-too-many": 4030,
    "schema-invalid": 4031,
    "schema-too-large": 4032,
    "name-invalid": 4033,
    "name-taken": 4034,
    "offers-too-large": 4035,
    "model-missing": 4040,
    "session-not-found": 4041,
    "terminal-not-found": 4050,
    "terminal-unavailable": 4051,
    "internal-error": 4099,
  });
});

test("W20: a close reason says its name unless it is given other words, and the name is found by the code", () => {
  expect(closeReason("too-slow")).toEqual({ code: 4021, reason: "too-slow" });
  expect(closeReason("too-slow", "32 MiB wait.")).toEqual({ code: 4021, reason: "32 MiB wait." });
  expect(linkCloseReason("too-slow")).toEqual(closeReason("too-slow"));
  expect(linkCloseReason("normal", "Done.")).toEqual({ code: 1000, reason: "Done." });
  expect(closeCodes).toMatchObject(linkCloseCodes);
  for (const [name, code] of Object.entries(closeCodes)) expect(closeNameOf(code)).toBe(name);
  for (const code of [0, 1005, 1006, 4007, 4100, NaN]) expect(closeNameOf(code)).toBeUndefined();
});

test("W20: a link that ended without a close message was cut off, with 1006", () => {
  expect(cutOff).toEqual({ code: 1006, reason: "cut off" });
});
