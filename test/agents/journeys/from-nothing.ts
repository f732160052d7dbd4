import { expect } from "vitest";
import type { Turn } from "../model/scripted-model.ts";
import type { Agent } from "../support/agent.ts";
import type { Machine } from "../support/machine.ts";
import { call, lastResult, say } from "./journey.ts";
import type { Outcome } from "./journey.ts";

export const fromNothing = "from nothing to the first result: pagewire connect --write, a start, a call";

/** Connects the program for the first time, and has it call a tool: the time until its model has the result. */
export async function connectFromNothing({ program, connect, talk }: Agent, machine: Machine): Promise<Outcome> {
  const asked: number[] = [];
  const noted =
    (turn: Turn): Turn =>
    (request) => {
      asked.push(performance.now());
      return turn(request);
    };
  const { ms: connecting } = await connect();
  const began = performance.now();
  const { requests } = await talk(noted(call(program, "get_stock", { shelf: "A" })), noted(say("Three and twelve.")));
  expect(lastResult(requests[1])).toContain("Crème brûlée");
  expect(machine.ran("get_stock")).toBe(1);
  machine.forget();
  const [first = 0, second = 0] = asked;
  const parts = [
    `${connecting} ms for connect`,
    `${Math.round(first - began)} ms from its start to its model's first request`,
    `${Math.round(second - first)} ms until its model had the result of the call`,
  ];
  return { result: parts.join(", "), ms: Math.round(connecting + second - began) };
}
