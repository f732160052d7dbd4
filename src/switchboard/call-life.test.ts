import { describe, expect, test } from "vitest";
import { nextStep } from "./call-life.ts";
import type { LifeEvent, Phase } from "./call-life.ts";

const events = {
  sent: { event: "sent" },
  acked: { event: "acked" },
  answered: { event: "answered", outcome: { outcome: "ok", ran: "yes", payload: "{}" } },
  cut: { event: "tab-cut" },
  forgot: { event: "tab-forgot" },
  left: { event: "tab-left" },
  gone: { event: "tab-gone" },
  suspended: { event: "tab-suspended" },
  deadline: { event: "deadline" },
  cancelled: { event: "cancelled", message: "Not needed." },
} as const satisfies Record<string, LifeEvent>;

/** What each event makes of a call in each phase: the next phase, or its outcome and whether it ran. */
const table: Record<Exclude<Phase, "ended">, Record<keyof typeof events, string>> = {
  waiting: {
    sent: "sent",
    acked: "waiting",
    answered: "waiting",
    cut: "waiting",
    forgot: "waiting",
    left: "waiting",
    gone: "page-gone, no",
    suspended: "page-suspended, no",
    deadline: "deadline-exceeded, no",
    cancelled: "cancelled, no",
  },
  sent: {
    sent: "sent",
    acked: "running",
    answered: "ok, yes",
    cut: "in-doubt",
    forgot: "outcome-unknown, maybe",
    left: "not-delivered, no",
    gone: "not-delivered, no",
    suspended: "page-suspended, maybe",
    deadline: "deadline-exceeded, maybe",
    cancelled: "cancelled, maybe",
  },
  "in-doubt": {
    sent: "sent-again",
    acked: "running",
    answered: "ok, yes",
    cut: "in-doubt",
    forgot: "outcome-unknown, maybe",
    left: "outcome-unknown, maybe",
    gone: "outcome-unknown, maybe",
    suspended: "page-suspended, maybe",
    deadline: "deadline-exceeded, maybe",
    cancelled: "cancelled, maybe",
  },
  "sent-again": {
    sent: "sent-again",
    acked: "running",
    answered: "ok, yes",
    cut: "in-doubt",
    forgot: "outcome-unknown, maybe",
    left: "outcome-unknown, maybe",
    gone: "outcome-unknown, maybe",
    suspended: "page-suspended, maybe",
    deadline: "deadline-exceeded, maybe",
    cancelled: "cancelled, maybe",
  },
  running: {
    sent: "running",
    acked: "running",
    answered: "ok, yes",
    cut: "running",
    forgot: "outcome-unknown, maybe",
    left: "outcome-unknown, maybe",
    gone: "outcome-unknown, maybe",
    suspended: "page-suspended, maybe",
    deadline: "deadline-exceeded, maybe",
    cancelled: "cancelled, maybe",
  },
};

function stepOf(phase: Phase, name: keyof typeof events): string {
  const step = nextStep(phase, events[name]);
  if (!step.outcome) return step.phase;
  expect(step.phase).toBe("ended");
  return `${step.outcome.outcome}, ${step.outcome.ran}`;
}

describe("the life of a call", () => {
  test.each(Object.entries(table))("B1: in the phase %s every event has one meaning", (phase, row) => {
    const steps = Object.keys(events).map((name) => [name, stepOf(phase as Phase, name as keyof typeof events)]);
    expect(Object.fromEntries(steps)).toEqual(row);
  });

  test("B1: after its end nothing happens to a call", () => {
    for (const event of Object.values(events)) expect(nextStep("ended", event)).toEqual({ phase: "ended" });
  });

  test("B2: every end without a result says what happened, with a code, and whether it is safe to try again", () => {
    const words = (["waiting", "sent", "in-doubt", "running"] as const).flatMap((phase) =>
      (["gone", "suspended", "deadline", "forgot"] as const).map((name) => nextStep(phase, events[name]).outcome),
    );
    for (const outcome of words.filter((each) => each !== undefined)) {
      expect(outcome?.code).toBeDefined();
      expect(outcome?.message).toMatch(
        outcome?.ran === "no" ? /safe to try again|nothing ran/ : /Look before|may go on|did not answer/,
      );
    }
  });
});
