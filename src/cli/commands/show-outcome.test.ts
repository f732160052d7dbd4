import { expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { createPrinter } from "../common/printer.ts";
import { showOutcome } from "./call.ts";

test("call notes that the hub could not save the outcome of a call with a key, next to the answer", () => {
  const result = { content: [{ type: "text", text: "done" }] };
  const outcome = { outcome: "ok", ran: "yes", result, notSaved: true } as const;
  const [forPeople, forPrograms] = [createTestIo(), createTestIo()];
  showOutcome(outcome, createPrinter(forPeople.io, false));
  expect([forPeople.out(), forPeople.err()]).toEqual([
    "done\n",
    expect.stringContaining("could not save how this ended"),
  ]);
  showOutcome(outcome, createPrinter(forPrograms.io, true));
  expect(JSON.parse(forPrograms.out())).toEqual(outcome);
  for (const cli of [forPeople, forPrograms]) cli.close();
});

test("call says how to sign in for the scope that a tool needs", () => {
  const cli = createTestIo();
  const message = "Get one with the scope tools:destructive.";
  showOutcome({ outcome: "rejected", ran: "no", code: "scope-needed", message }, createPrinter(cli.io, false));
  expect(cli.err()).toContain(`${message} Sign in for it with: npx pagewire login --scope`);
  cli.close();
});
