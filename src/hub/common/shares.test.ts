import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import { Shares } from "./shares.ts";

const refusal = () => new PagewireError("requests-too-many", "Too many.", { retryAfter: 1000 });

function holdOpen() {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return { held, release };
}

test("one address takes no other's share, and has its own again when its work is done", async () => {
  const shares = new Shares({ refusal });
  const { held, release } = holdOpen();
  const open = Array.from({ length: 16 }, () => shares.run("192.0.2.1", () => held));
  await expect(shares.run("192.0.2.1", () => held)).rejects.toMatchObject({ code: "requests-too-many" });
  expect(await shares.run("192.0.2.2", async () => "in")).toBe("in");
  release();
  await Promise.all(open);
  expect(await shares.run("192.0.2.1", async () => "in")).toBe("in");
});

test("all addresses together have a bound, and work that fails leaves its place", async () => {
  const shares = new Shares({ refusal });
  const { held, release } = holdOpen();
  const open = Array.from({ length: 256 }, (_, at) => shares.run(`192.0.2.${at}`, () => held));
  await expect(shares.run("198.51.100.1", () => held)).rejects.toMatchObject({ retryAfter: 1000 });
  release();
  await Promise.all(open);
  for (let count = 0; count < 300; count++)
    await expect(shares.run("192.0.2.1", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
});

test.each([
  ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1:3::"],
  ["::1", "::2", "0:0:0:1::1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.2"],
])("%s has one share with %s, and another than %s", async (first, same, other) => {
  const shares = new Shares({ refusal, perAddress: 1 });
  const { held, release } = holdOpen();
  const open = shares.run(first, () => held);
  await expect(shares.run(same, () => held)).rejects.toThrow("Too many.");
  expect(await shares.run(other, async () => "in")).toBe("in");
  release();
  await open;
});
