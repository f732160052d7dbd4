import { expect, test } from "vitest";
import { newestFunctions } from "./hold-web-mcp.ts";

test("functions however deep are the newest, and the given one where there is none any more", () => {
  const options = (name: string) => ({ servers: [{ say: () => name }], log: { say: () => name } });
  let newest: object = options("one");
  const { servers, log } = newestFunctions(options("one"), () => newest);
  newest = options("two");
  expect([servers[0]?.say(), log.say()]).toEqual(["two", "two"]);
  newest = {};
  expect([servers[0]?.say(), log.say()]).toEqual(["one", "one"]);
});

test("what a function keeps in its object stays there: in the same one, else in the one that was given first", () => {
  const provider = () => ({
    kept: "",
    save(text: string) {
      this.kept = text;
    },
    read() {
      return this.kept;
    },
  });
  const same = { provider: provider() };
  const ofSame = newestFunctions({ ...same }, () => same);
  ofSame.provider.save("code");
  expect([ofSame.provider.read(), same.provider.kept]).toEqual(["code", "code"]);
  const ofNew = newestFunctions({ provider: provider() }, () => ({ provider: provider() }));
  ofNew.provider.save("code");
  expect(ofNew.provider.read()).toBe("code");
});

test("instances are taken as they are, and what contains itself does no harm", () => {
  const knot: { self?: object; at: URL } = { at: new URL("https://shop.example") };
  knot.self = knot;
  const copy = newestFunctions(knot, () => knot);
  expect([copy.at === knot.at, copy.self === copy]).toEqual([true, true]);
});
