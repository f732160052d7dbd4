import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import type { Amounts, SharedUse } from "./shared-use.ts";
import { createUseCounts } from "./use-counts.ts";

const limits = { answersPerPrincipal: 3 };
const refusal = (max: number) => new PagewireError("calls-too-many", `${max} answers`);

test("MH60: an answer is refused where those here and at other hubs are at the budget, and others see those here", () => {
  const over: string[] = [];
  let elsewhere = 2;
  let here: Amounts = {};
  const use: SharedUse = {
    elsewhere: () => elsewhere,
    changed: (_, amounts) => void (here = amounts),
    count: () => {},
    onCounted: () => {},
  };
  const onOver = (name: string) => void over.push(name);
  const counts = createUseCounts({ name: "answersPerPrincipal", limits, onOver, use, refusal });
  const leave = counts.enter({ principal: "ann" });
  expect(here).toEqual({ answersPerPrincipal: 1 });
  expect(() => counts.enter({ principal: "ann" })).toThrow("3 answers");
  expect(over).toEqual(["answersPerPrincipal"]);
  elsewhere = 1;
  counts.enter({ principal: "ann" })();
  leave();
  expect(here).toEqual({ answersPerPrincipal: 0 });
});

test("a hub alone counts its own, and a token may have a smaller budget", () => {
  const counts = createUseCounts({ name: "answersPerPrincipal", limits, onOver: () => {}, use: undefined, refusal });
  const small = { principal: "ann", allowed: { answersPerPrincipal: 1 } };
  counts.enter({ principal: "ann" });
  expect(() => counts.enter(small)).toThrow("1 answers");
  counts.enter({ principal: "ann" });
  counts.enter({ principal: "ann" });
  expect(() => counts.enter({ principal: "ann" })).toThrow("3 answers");
  counts.enter({ ...small, principal: "ben" });
});
