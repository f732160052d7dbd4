import { expect, test } from "vitest";
import { besidePeer, holdContest } from "./hold-contest.ts";
import type { Contestant } from "./hold-contest.ts";

const question = { row: "hop", size: "200 B" };

test("contestants take turns, and the first round does not count", async () => {
  const order: string[] = [];
  const [row] = await holdContest(
    [contestant("floor", [999, 10, 10, 10], order), contestant("pagewire", [999, 12, 12, 12], order)],
    3,
    [{ ...question, bars: { cpu: 1.25 } }],
  );
  expect(order.slice(0, 4)).toEqual(["floor", "pagewire", "floor", "pagewire"]);
  expect(row).toEqual({
    ...question,
    metric: "cpu",
    pagewire: 12,
    floor: 10,
    peers: {},
    ratio: 1.2,
    interval: [1.2, 1.2],
    rounds: 3,
    bar: 1.25,
    met: true,
  });
});

test("a contest ends as soon as each of its questions is settled, and at the latest after all rounds", async () => {
  const rounds = async (ours: readonly number[], bar: number) => {
    const contestants = [
      contestant(
        "floor",
        ours.map(() => 10),
      ),
      contestant("pagewire", ours),
    ];
    const [row] = await holdContest(contestants, 5, [{ ...question, bars: { cpu: bar } }]);
    return row?.rounds;
  };
  expect(await rounds([0, 12, 12.1, 11.9, 12, 12], 1.25)).toBe(3);
  // Around the bar it goes on.
  expect(await rounds([0, 12, 13, 12.1, 13.2, 12.3], 1.25)).toBe(5);
  expect(await rounds([0, 12, 20, 8, 12, 12], 9)).toBe(5);
});

test("a contestant whose turns are of new processes has none before the first round", async () => {
  const contestants = ["floor", "pagewire"].map((name) => ({ ...contestant(name, [10, 10, 10, 999]), isFresh: true }));
  const [row] = await holdContest(contestants, 3, [question]);
  expect(row).toMatchObject({ pagewire: 10, floor: 10, rounds: 3 });
});

test("a ratio is the median of each round's, not the ratio of the medians", async () => {
  const floors = [0, 10, 20, 40];
  const ours = [0, 20, 20, 20];
  const [row] = await holdContest([contestant("floor", floors), contestant("pagewire", ours)], 3, [question]);
  expect(row?.ratio).toBe(1);
});

test("a peer can stand as the floor of a question beside the others", async () => {
  const contestants = [
    contestant("floor", [0, 5, 5, 5]),
    contestant("pagewire", [0, 11, 11, 11]),
    contestant("api/call", [0, 10, 10, 10]),
  ];
  const rows = await holdContest(contestants, 3, [question, besidePeer(question, "api/call", { cpu: 1.2 })]);
  expect(rows.map(({ metric, floor, peers, ratio, met }) => ({ metric, floor, peers, ratio, met }))).toEqual([
    { metric: "cpu", floor: 5, peers: { "api/call": 10 }, ratio: 2.2, met: null },
    { metric: "cpu, floor is api/call", floor: 10, peers: {}, ratio: 1.1, met: true },
  ]);
});

function contestant(name: string, figures: readonly number[], order: string[] = []): Contestant {
  let turn = 0;
  return {
    name,
    measure() {
      order.push(name);
      return Promise.resolve({ cpu: figures[turn++] ?? NaN });
    },
  };
}
