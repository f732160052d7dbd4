import { expect, test } from "vitest";
import { lifeOf } from "./steps.ts";
import type { CallRecord } from "./steps.ts";

const record = (more: object): CallRecord => ({ id: "1", at: "2026-01-01T00:00:00Z", ...more });
const pieces = (more: object) => lifeOf(record(more)).pieces.map(({ kind, from, to }) => [kind, from, to]);

test("a call's life is its pieces in order: the wait, the way, the page", () => {
  const steps = { waited: 3100, sent: 0.2, acked: 4, progress: { count: 2, first: 5, last: 9 }, ended: 12 };
  const life = lifeOf(record({ decidedBy: "user", steps }));
  expect(life.pieces.map(({ label }) => label)).toEqual([
    "Waited for a person",
    "On its way to the page",
    "In the page",
  ]);
  expect(life).toMatchObject({ from: -3100, to: 12, isKnown: true });
  expect(life.marks).toEqual([
    { at: 5, label: "First progress" },
    { at: 9, label: "Last of 2 reports of progress" },
  ]);
});

test("a call that waited for its tab, was sent again, and never acked has no time in the page", () => {
  expect(pieces({ steps: { sent: 800, resent: 900, ended: 1000 } })).toEqual([
    ["queued", 0, 800],
    ["taken", 800, 1000],
  ]);
});

test("a question of the tool is a piece beside the page's", () => {
  const questions = { count: 1, first: 3, last: 2003 };
  expect(pieces({ steps: { sent: 0, acked: 1, questions, ended: 2005 } })).toContainEqual(["asked", 3, 2003]);
});

test("a call that never began has only its wait, and one of before has its whole time", () => {
  expect(pieces({ code: "policy-declined", steps: { waited: 50 } })).toEqual([["waited", -50, 0]]);
  expect(pieces({ milliseconds: 12 })).toEqual([["whole", 0, 12]]);
  expect(pieces({})).toEqual([]);
});
