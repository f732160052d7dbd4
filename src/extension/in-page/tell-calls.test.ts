import { expect, test } from "vitest";
import type { PageCallEvent } from "../../page/index.ts";
import { shownCallsMost } from "../messages.ts";
import type { FromPage } from "../messages.ts";
import { createToldCalls } from "./tell-calls.ts";

const event = (id: number, kind: "started" | "ended") =>
  ({ id: `${id}`, name: "buy", arguments: { card: "4111" }, event: kind }) as unknown as PageCallEvent;

function createTold() {
  const heard: string[] = [];
  const worker = { isThere: true };
  const stopped = new Set<string>();
  const told = createToldCalls((message: FromPage) => {
    if (worker.isThere && message.type === "call")
      heard.push(`${message.call.id} ${message.stopped ? "stopped" : message.call.event}`);
    expect(JSON.stringify(message)).not.toContain("4111");
    return worker.isThere;
  }, stopped.has.bind(stopped));
  return { heard, worker, told, stopped };
}

test("a worker that comes back hears of the calls that run, and once of those that ended or were stopped meanwhile", () => {
  const { heard, worker, told, stopped } = createTold();
  stopped.add("2");
  for (const id of [1, 2, 3]) told.tell(event(id, "started"));
  told.tell(event(1, "ended"));
  worker.isThere = false;
  told.tell(event(2, "ended"));
  told.repeat();
  worker.isThere = true;
  heard.length = 0;
  told.repeat();
  expect(heard).toEqual(["2 stopped", "3 started"]);
  told.repeat();
  expect(heard.slice(2)).toEqual(["3 started"]);
});

test("the ends of more calls than the popup shows are not kept", () => {
  const { heard, worker, told } = createTold();
  worker.isThere = false;
  for (let id = 0; id < 100; id++) told.tell(event(id, "ended"));
  worker.isThere = true;
  told.repeat();
  expect(heard.length).toBe(shownCallsMost);
  expect(heard.at(-1)).toBe("99 ended");
});
