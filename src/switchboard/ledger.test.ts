import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import type { Outcome } from "../wire/index.ts";
import { resolveLimits } from "../wire/index.ts";
import { createLedger } from "./ledger.ts";

const ok: Outcome = { outcome: "ok", ran: "yes", payload: "{}" };

test("B22: a used key is known as expired until expiredKeys others have expired after it", async () => {
  const clock = createFakeClock();
  const ledger = createLedger<string>(clock, resolveLimits({ keyTime: 1000, expiredKeys: 2 }));
  for (const key of ["one", "two", "three"]) {
    ledger.keep(key, "fingerprint", "running");
    ledger.end(key, ok);
    await clock.advance(1000);
  }
  expect(["one", "two", "three"].map((key) => ledger.find(key))).toEqual([undefined, "expired", "expired"]);
});

test("B22: what is kept counts with its key and its arguments; calls that run are kept whatever they weigh", () => {
  const clock = createFakeClock();
  const ledger = createLedger<string>(clock, resolveLimits({ keyBytes: 100 }));
  ledger.keep("small", "fingerprint", "running");
  ledger.end("small", ok);
  ledger.keep("large", "x".repeat(200), "running");
  expect([ledger.find("small"), ledger.find("large")]).toEqual([
    "expired",
    expect.objectContaining({ running: "running" }),
  ]);
  ledger.end("large", ok);
  expect(ledger.find("large")).toBe("expired");
  ledger.keep("next", "fingerprint", "running");
  ledger.end("next", ok);
  expect(ledger.find("next")).toMatchObject({ outcome: ok, running: undefined });
});

test("B23: a key that is dropped is as good as new, and no timer is left", () => {
  const clock = createFakeClock();
  const ledger = createLedger<string>(clock, resolveLimits());
  ledger.keep("key", "fingerprint", "running");
  ledger.end("key", ok);
  ledger.drop("key");
  ledger.drop("key");
  ledger.end("key", ok);
  expect([ledger.find("key"), clock.pending]).toEqual([undefined, 0]);
});

test("B53: a closed ledger leaves no timer", () => {
  const clock = createFakeClock();
  const ledger = createLedger<string>(clock, resolveLimits());
  for (const key of ["one", "two"]) {
    ledger.keep(key, "fingerprint", "running");
    ledger.end(key, ok);
  }
  expect(clock.pending).toBe(2);
  ledger.close();
  ledger.close();
  expect(clock.pending).toBe(0);
});
