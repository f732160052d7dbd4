import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { createDigests } from "./digests.ts";

const hmac = (key: string, text: string | Uint8Array) => createHmac("sha256", key).update(text).digest("hex");

test("AU6: a digest is HMAC-SHA256 with the installation's key, of texts and of bytes alike", () => {
  for (const key of ["k", "x".repeat(64), "ü".repeat(100)]) {
    const digests = createDigests(key, 1000);
    for (const text of ["", "{}", '{"a":"é😀"}', "y".repeat(1000)]) {
      expect(digests.of(text)).toBe(hmac(key, text));
      expect(digests.of(Buffer.from(text))).toBe(hmac(key, text));
    }
  }
  expect(createDigests("a", 1000).of("{}")).not.toBe(createDigests("b", 1000).of("{}"));
});

test("AU6: what is longer than auditDigestBytes has the digest of its beginning, without a character that was cut", () => {
  const digests = createDigests("k", 10);
  for (const [text, beginning] of [
    ["0123456789a", "0123456789"],
    ["01234567😀", "01234567"],
    ["012345678é", "012345678"],
    ["0123456😀a", "0123456"],
  ] as const) {
    expect(digests.of(text)).toBe(`~${hmac("k", beginning)}`);
    expect(digests.of(Buffer.from(text))).toBe(`~${hmac("k", beginning)}`);
  }
  expect(digests.of("012345😀")).toBe(hmac("k", "012345😀"));
  expect(createDigests("k", 0).of("a")).toBe(`~${hmac("k", "")}`);
});

test("AU6: a definition's digest is plain SHA-256, so that hubs agree on it, and changes with the definition", () => {
  const tool = { name: "buy", inputSchema: { type: "object" } } as const;
  const [one, other] = [createDigests("a", 100), createDigests("b", 100)];
  expect(one.ofDefinition(tool)).toBe(other.ofDefinition({ ...tool }));
  expect(one.ofDefinition(tool)).toBe(one.ofDefinition(tool));
  expect(one.ofDefinition({ ...tool, description: "Buys." })).not.toBe(one.ofDefinition(tool));
});
