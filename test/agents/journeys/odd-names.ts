import { expect } from "vitest";
import type { ModelRequest } from "../model/model-format.ts";
import { call, lastResult, quoted, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

/** A name with a dot, and one that is longer than the 64 characters that some models allow. */
const names = ["shelf.list", `shelf_${"x".repeat(70)}_last`] as const;

export const oddNames: Journey = {
  title: "a tool's name with a dot, and one of 81 characters",
  async run({ machine, agent: { program, talk }, tab }) {
    for (const name of names) {
      await tab.evaluate(
        `void tool(${JSON.stringify(name)}, "Says " + ${JSON.stringify(`odd${name.length}`)}, object({}), () => "it ran")`,
      );
    }
    await machine.hasTools(names);
    const tabId = await machine.tabId(tab);
    const { requests, ms } = await talk(
      // The first request of a program may still have the list of its last conversation.
      call(program, "list_browser_tabs"),
      (request) => ({ call: { tool: { ...program.toolName(names[0]), name: seen(request, names[0]) }, input: {} } }),
      (request) => ({ call: { tool: { ...program.toolName(names[1]), name: seen(request, names[1]) }, input: {} } }),
      call(program, "call_tab_tool", { tabId, name: names[1] }),
      say("Done."),
    );
    expect(lastResult(requests[4])).toContain("it ran");
    const results = names.map((name, index) => {
      const result = requests[index + 2]?.results.at(-1)?.text ?? "";
      const shown = seen(requests[1], name);
      const as = shown === "" ? "not there" : shown.length > 40 ? `${shown.length} characters` : shown;
      return `${as}: ${result.includes("it ran") ? "runs" : `does not run, ${quoted(result)}`}`;
    });
    return { result: `${results.join("; ")}; by call_tab_tool it runs`, ms };
  },
};

/** The name under which the model knows the tool, which programs change. */
function seen(request: ModelRequest | undefined, name: string): string {
  const described = request?.tools.find(({ description }) => description.includes(`odd${name.length}`));
  // Names of servers and tools are put together, and other characters replaced.
  const named = new RegExp(`[\\w.-]*${name.slice(0, 30)}[\\w.-]*`).exec(request?.instructions ?? "")?.[0];
  return described?.name ?? named ?? "";
}
