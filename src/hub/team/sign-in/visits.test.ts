import { expect, test } from "vitest";
import { Visits } from "./visits.ts";

function holdOpen() {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return { held, release };
}

test("one address keeps nobody else from signing in, and gets in again when its own are done", async () => {
  const visits = new Visits();
  const { held, release } = holdOpen();
  const open = Array.from({ length: 16 }, () => visits.run("192.0.2.1", () => held));
  await expect(visits.run("192.0.2.1", () => held)).rejects.toMatchObject({ code: "requests-too-many" });
  expect(await visits.run("192.0.2.2", async () => "in")).toBe("in");
  release();
  await Promise.all(open);
  expect(await visits.run("192.0.2.1", async () => "in")).toBe("in");
});

test("all addresses together have a bound, and a visit that fails leaves its place", async () => {
  const visits = new Visits();
  const { held, release } = holdOpen();
  const open = Array.from({ length: 256 }, (_, at) => visits.run(`192.0.2.${at}`, () => held));
  await expect(visits.run("198.51.100.1", () => held)).rejects.toMatchObject({ retryAfter: 1000 });
  release();
  await Promise.all(open);
  for (let count = 0; count < 300; count++)
    await expect(visits.run("192.0.2.1", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
});
