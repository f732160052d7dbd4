import { expect } from "vitest";
import { waitUntil } from "../support/wait.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";

export interface Bystander {
  /** Ends its calls, and fails unless every one of them was answered correctly. */
  expectUnharmed(): Promise<void>;
}

/** Another tenant: it calls the tool of its own page, one call after the other, for the duration of an attack. */
export async function startBystander(besieged: BesiegedHub): Promise<Bystander> {
  const page = await besieged.openPage("bob");
  page.offer([{ name: "work", inputSchema: { type: "object", properties: {} } }]);
  page.answerWith('{"content":[{"type":"text","text":"done"}]}');
  const call = await besieged.agent("bob");
  await waitUntil(
    async () => (await call("work", {})).outcome === "ok",
    () => "The bystander's tool cannot be called.",
  );
  const outcomes: string[] = [];
  let isOver = false;
  const calling = (async () => {
    while (!isOver) outcomes.push((await call("work", {})).outcome);
  })();
  return {
    async expectUnharmed() {
      isOver = true;
      await calling;
      expect(outcomes.filter((outcome) => outcome !== "ok")).toEqual([]);
      expect(outcomes.length).toBeGreaterThan(0);
      expect(besieged.hub.process.exitCode).toBeNull();
    },
  };
}
