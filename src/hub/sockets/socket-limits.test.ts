import { expect, test } from "vitest";
import { createAnonymousSockets } from "./socket-limits.ts";

/** Anonymous sockets by name, and the names of the evicted ones. */
function withLimits(strangerSockets: number, strangerSocketsInAll: number) {
  const strangers = createAnonymousSockets({ strangerSockets, strangerSocketsInAll });
  const gone: string[] = [];
  return {
    gone,
    come: (name: string, address: string, origin?: string) =>
      strangers.add({ address, origin, makeRoom: () => void gone.push(name) }),
  };
}

test("the oldest anonymous socket of the same address and origin is evicted, and no other", () => {
  const { come, gone } = withLimits(2, 100);
  come("other address", "10.0.0.1", "https://a.example");
  come("other origin", "10.0.0.2", "https://b.example");
  for (const name of ["first", "second", "third", "fourth"]) come(name, "10.0.0.2", "https://a.example");
  expect(gone).toEqual(["first", "second"]);
});

test("when there are too many in all, the oldest of the address that has the most makes room", () => {
  const { come, gone } = withLimits(10, 4);
  come("one", "10.0.0.1");
  for (const name of ["a", "b", "c", "d", "e"]) come(name, "10.0.0.2", `https://${name}.example`);
  come("two", "10.0.0.1");
  expect(gone).toEqual(["a", "b", "c"]);
});

test("an anonymous socket that is removed twice frees one place", () => {
  const { come, gone } = withLimits(2, 2);
  const leave = come("first", "10.0.0.1");
  leave();
  leave();
  for (const name of ["second", "third"]) come(name, "10.0.0.1");
  expect(gone).toEqual([]);
  come("fourth", "10.0.0.1");
  expect(gone).toEqual(["second"]);
});
