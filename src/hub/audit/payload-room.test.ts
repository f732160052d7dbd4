import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { digestRecords } from "../store/port/audit-chain.ts";
import { createPayloadRoom } from "./payload-room.ts";

const hmac = (key: string, text: string) => createHmac("sha256", key).update(text).digest("hex");
const record = { at: "2026-01-01T00:00:00.000Z", kind: "call", principal: "ada" } as const;

/** The digest that a payload finally gets. */
function digestOf(payload: string | Uint8Array, most = 1000, key = "k"): string | undefined {
  const room = createPayloadRoom(key, most);
  expect(room.put(payload)).toBe(Buffer.byteLength(payload));
  const taken = room.take();
  return taken && digestRecords([{ ...record, argumentsDigest: "" }], taken)[0]?.argumentsDigest;
}

test("a digest is HMAC-SHA256 with the installation's key, of texts and of bytes alike", () => {
  for (const key of ["k", "x".repeat(64), "ü".repeat(100)]) {
    for (const text of ["", "{}", '{"a":"é😀"}', "y".repeat(1000)]) {
      expect(digestOf(text, 1000, key)).toBe(hmac(key, text));
      expect(digestOf(Buffer.from(text), 1000, key)).toBe(hmac(key, text));
    }
  }
});

test("what is longer than auditDigestBytes has the digest of its beginning, without a character that was cut", () => {
  for (const [text, beginning] of [
    ["0123456789a", "0123456789"],
    ["01234567😀", "01234567"],
    ["012345678é", "012345678"],
    ["0123456😀a", "0123456"],
    ["😀".repeat(100_000), "😀😀"],
  ] as const) {
    expect(digestOf(text, 10)).toBe(`~${hmac("k", beginning)}`);
    expect(digestOf(Buffer.from(text), 10)).toBe(`~${hmac("k", beginning)}`);
  }
  expect(digestOf("012345😀", 10)).toBe(hmac("k", "012345😀"));
  expect(digestOf("a", 0)).toBe(`~${hmac("k", "")}`);
});

test("each record gets its own digests, whichever it lacks, and others stay as they are", () => {
  const room = createPayloadRoom("k", 100);
  for (const payload of ["a1", Buffer.from("r1"), "k3", "a4"]) room.put(payload);
  const records = [
    { ...record, argumentsDigest: "", resultDigest: "" },
    { ...record, kind: "hub" as const },
    { ...record, argumentsDigest: "known", key: "" },
    { ...record, argumentsDigest: "" },
  ];
  const taken = room.take();
  expect(taken && digestRecords(records, taken)).toEqual([
    { ...record, argumentsDigest: hmac("k", "a1"), resultDigest: hmac("k", "r1") },
    { ...record, kind: "hub" },
    { ...record, argumentsDigest: "known", key: hmac("k", "k3") },
    { ...record, argumentsDigest: hmac("k", "a4") },
  ]);
  expect(room.take()).toBeUndefined();
});

test("what was taken stays as it is until it is given back, and there is room for three of the largest", () => {
  const room = createPayloadRoom("k", 100_000);
  const payload = Buffer.alloc(1_000_000, "x");
  const three = [payload, "x".repeat(1_000_000), payload] as const;
  while (room.has(...three)) for (const each of three) room.put(each);
  const taken = room.take();
  payload.fill("y");
  room.put(payload);
  expect(taken?.lengths.length).toBeGreaterThanOrEqual(3);
  expect(
    createHash("sha256")
      .update(taken?.bytes ?? "")
      .digest("hex"),
  ).toBe(
    createHash("sha256")
      .update("x".repeat(taken?.bytes.length ?? 0))
      .digest("hex"),
  );
  expect(room.has(...three)).toBe(true);
  if (taken) room.giveBack(taken);
  room.take();
  room.put("z");
  expect(room.take()?.bytes.buffer).toBe(taken?.bytes.buffer);
});
