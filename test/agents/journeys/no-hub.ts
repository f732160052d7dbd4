import { expect } from "vitest";
import { connected } from "../../e2e/support/world.ts";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

export const noHub: Journey = {
  title: "no hub runs",
  isSlow: true,
  async run({ machine, agent, tab }) {
    const { program, pagewire, withSetting, talk, configPath: path } = agent;
    await machine.stopHub();
    // By default it starts one at port 7337, which another hub of this machine may have.
    const change = (text: string) => text.replace(/"mcp"(?=\s*\])/, `"mcp", "--port", "${machine.hub.port}"`);
    try {
      const { requests, ms } = await withSetting({ file: { path, change } }, () =>
        talk(
          call(program, "list_browser_tabs"),
          async () => {
            await connected(tab);
            return { call: { tool: program.toolName("list_browser_tabs"), input: {} } };
          },
          async () => {
            const input = { tabId: await machine.tabId(tab), name: "get_stock", arguments: { shelf: "A" } };
            return { call: { tool: program.toolName("call_tab_tool"), input } };
          },
          say("Done."),
        ),
      );
      expect(lastResult(requests[3])).toContain("Crème brûlée");
      expect(machine.ran("get_stock")).toBe(1);
      return { result: "one is started; the open tab comes to it, and its tools are called by call_tab_tool", ms };
    } finally {
      await pagewire("stop");
      await machine.startHub();
    }
  },
};
