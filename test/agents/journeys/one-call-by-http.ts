import { expect } from "vitest";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

interface Shown {
  readonly http: { readonly steps: readonly { readonly code?: string }[] };
}

export const oneCallByHttp: Journey = {
  title: "a call, by HTTP",
  async run({ machine, agent }) {
    const { program, pagewire, withSetting, talk } = agent;
    const shown = JSON.parse((await pagewire("connect", program.id, "--json")).output) as Shown;
    const codes = shown.http.steps.map(({ code = "" }) => code);
    // The text for a file, and not the command, which would write the token into one.
    const snippet = codes.find((code) => code.startsWith("{") || code.startsWith("["));
    if (snippet === undefined) return { notRun: "it has no file for an address" };
    const variables = { PAGEWIRE_TOKEN: await machine.hub.token() };
    const file = { path: agent.configPath, change: (text: string) => withEntry(text, snippet) };
    const { requests, ms } = await withSetting({ variables, file }, () =>
      talk(call(program, "get_stock", { shelf: "A" }), say("Done.")),
    );
    expect(lastResult(requests[1])).toContain("Crème brûlée");
    expect(machine.ran("get_stock")).toBe(1);
    return { result: "ran once; the token comes from the environment", ms };
  },
};

/** The text of a client's file with the hub's entry as in the snippet. */
function withEntry(text: string, snippet: string): string {
  if (!snippet.startsWith("{")) return text.replace(/^\[mcp_servers\.pagewire\]\n(?:[^[].*\n?)*/m, `${snippet}\n`);
  const file = JSON.parse(text) as Record<string, object>;
  const [[section, servers] = ["", {}]] = Object.entries(JSON.parse(snippet) as Record<string, object>);
  return JSON.stringify({ ...file, [section]: { ...file[section], ...servers } });
}
