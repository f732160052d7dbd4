import { expect, test } from "vitest";
import { FakeModelContext, fakeJoin, settled } from "./fake-model-context.test-helper.ts";

test("a context that never answers does not keep the one in its place from being read", async () => {
  const join = await fakeJoin({ tools: [{ name: "first" }] });
  const { own, context, names, look } = join;
  context.gate = new Promise(() => {});
  look();
  await settled();
  join.at = Object.assign(new FakeModelContext(own), { tools: [{ name: "second" }] });
  look();
  await settled();
  expect(names()).toEqual(["second"]);
});

test("a browser that does not answer is asked again, later each time, and its first answer counts", async () => {
  const join = await fakeJoin();
  const { context, names, look, errors, timers } = join;
  const pass = async (milliseconds: number) => {
    expect([...timers.values()]).toEqual([milliseconds]);
    const [run] = timers.keys();
    timers.clear();
    run?.();
    await settled();
  };
  expect(timers.size).toBe(0);
  const asked = context.asked.length;
  let answer = () => {};
  context.gate = new Promise<void>((resolve) => (answer = resolve));
  context.change({ name: "first" });
  await settled();
  expect(errors).toEqual([]);
  await pass(5000);
  expect(errors).toEqual([expect.stringContaining("does not answer")]);
  await pass(10_000);
  expect(context.asked.length - asked).toBe(3);
  // A change in the meantime does not speed up the retries.
  look();
  await settled();
  expect(context.asked.length - asked).toBe(3);
  context.gate = new Promise(() => {});
  await pass(20_000);
  answer();
  await settled();
  expect(names()).toEqual(["first"]);
  // Changes in the meantime are read again.
  expect(context.asked.length - asked).toBe(5);
  expect(errors).toHaveLength(1);
  join.stop();
  expect(timers.size).toBe(0);
});
