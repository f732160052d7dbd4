import { describe, expect, test } from "vitest";
import { specTable } from "../../test/support/spec-table.ts";
import { nextStep } from "./call-life.ts";
import type { LifeEvent, Phase } from "./call-life.ts";

const events = {
  sent: { event: "sent" },
  acked: { event: "acked" },
  answered: { event: "answered", outcome: { outcome: "ok", ran: "yes", payload: "{}" } },
  "tab-cut": { event: "tab-cut" },
  "tab-forgot": { event: "tab-forgot" },
  "tab-left": { event: "tab-left" },
  "tab-gone": { event: "tab-gone" },
  "tab-suspended": { event: "tab-suspended" },
  deadline: { event: "deadline" },
  cancelled: { event: "cancelled", message: "Not needed." },
} as const satisfies Record<string, LifeEvent>;

const phases = ["waiting", "sent", "in-doubt", "sent-again", "running"] as const;
const rows = specTable(new URL("SPEC.md", import.meta.url), "- **B1**");

function stepOf(phase: Phase, event: LifeEvent): string {
  const step = nextStep(phase, event);
  if (!step.outcome) return step.phase === phase ? "–" : step.phase;
  expect(step.phase).toBe("ended");
  return event.event === "answered" ? "the answer" : `${step.outcome.outcome}, ${step.outcome.ran}`;
}

describe("the life of a call", () => {
  test("B1: it follows the table of the contract", () => {
    const steps = Object.entries(events).map(([name, event]) => [name, ...phases.map((phase) => stepOf(phase, event))]);
    expect(steps).toEqual(rows);
  });

  test("B1: an event after the end changes nothing", () => {
    for (const event of Object.values(events)) expect(nextStep("ended", event)).toEqual({ phase: "ended" });
  });

  test("B2: every end without a result has a code, a message, and whether a retry is safe", () => {
    const words = (["waiting", "sent", "in-doubt", "running"] as const).flatMap((phase) =>
      (["tab-gone", "tab-suspended", "deadline", "tab-forgot"] as const).map(
        (name) => nextStep(phase, events[name]).outcome,
      ),
    );
    for (const outcome of words.filter((each) => each !== undefined)) {
      expect(outcome?.code).toBeDefined();
      expect(outcome?.message).toMatch(
        outcome?.ran === "no" ? /safe to try again|nothing ran/ : /Look before|may go on|did not answer/,
      );
    }
  });
});
