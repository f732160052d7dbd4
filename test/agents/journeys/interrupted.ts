import { expect } from "vitest";
import { call, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const interrupted: Journey = {
  title: "Ctrl-C during a call",
  async run({ machine, agent: { program, start } }) {
    // A program that begins with the list of its last conversation refuses a tool that has changed since.
    const talk = await start(
      call(program, "list_browser_tabs"),
      call(program, "wait_for_delivery"),
      say("Never said."),
    );
    await machine.started("wait_for_delivery");
    talk.interrupt();
    const { ms } = await talk.ended;
    await expect.poll(() => machine.aborted("wait_for_delivery")).toBe(1);
    return { result: "the handler's signal is aborted", ms };
  },
};
