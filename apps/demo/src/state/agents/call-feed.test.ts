import type { PageCallEvent } from "pagewire/page";
import { expect, test } from "vitest";
import { createCallFeed } from "./call-feed.ts";
import type { CallFeed } from "./call-feed.ts";

interface Bench {
  readonly feed: CallFeed;
  readonly heard: (readonly unknown[])[];
  happen(event: PageCallEvent["event"], id?: string): void;
}

function createBench(): Bench {
  let tell: (event: PageCallEvent) => void = () => {};
  const feed = createCallFeed({ onCall: (listener) => ((tell = listener), () => {}) });
  const heard: (readonly unknown[])[] = [];
  feed.onCall(({ event, id, caller }) => heard.push([event, id, caller?.version]));
  return {
    feed,
    heard,
    happen: (event, id = "c1") => tell({ event, id, method: "tools/call", name: "work", agent: "tester" }),
  };
}

test("D44: a call is heard of when its handler is told who calls, and says so at every moment", () => {
  const { feed, heard, happen } = createBench();
  const agent = { name: "tester", version: "1.0" };
  happen("started");
  expect(heard).toEqual([]);
  feed.told({ callId: "c1", agent });
  happen("progress");
  // A handler that asks for input runs again.
  feed.told({ callId: "c1", agent });
  happen("ended");
  expect(heard).toEqual([
    ["started", "c1", "1.0"],
    ["progress", "c1", "1.0"],
    ["ended", "c1", "1.0"],
  ]);
});

test("D44: a call that is refused before it gets to a handler is heard of as well", () => {
  const { feed, heard, happen } = createBench();
  happen("started", "c1");
  happen("started", "c2");
  happen("ended", "c1");
  feed.told({ callId: "c1", agent: { name: "tester", version: "1.0" } });
  happen("ended", "c2");
  expect(heard).toEqual([
    ["started", "c1", undefined],
    ["ended", "c1", undefined],
    ["started", "c2", undefined],
    ["ended", "c2", undefined],
  ]);
});
