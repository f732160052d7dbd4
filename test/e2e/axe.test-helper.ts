import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Tab } from "./support/tab.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * The findings of axe in a part of a page, in both themes: a line for each element, with the rule and how to mend it.
 * Use as `expect(await axeFindings(tab)).toEqual([])`, once the page is in the state that counts.
 */
export async function axeFindings(tab: Tab, within = "html"): Promise<string[]> {
  // Through the debugger, which no policy of the page stops. A theme must be there at once.
  await tab.send("Runtime.evaluate", { expression: source });
  await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] });
  try {
    return [...(await tab.evaluate(run, within, "light")), ...(await tab.evaluate(run, within, "dark"))];
  } finally {
    await tab.send("Emulation.setEmulatedMedia", { features: [] });
  }
}

/** Runs in the page. */
async function run(within: string, theme: string): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: { run(within: string, options: object): Promise<AxeResults> } };
  const { dataset } = document.documentElement;
  const before = dataset["theme"];
  dataset["theme"] = theme;
  try {
    const { violations } = await axe.run(within, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, html, failureSummary = "" }) => {
        const why = failureSummary.split("\n").slice(1).join(" ").replaceAll(/\s+/g, " ").trim();
        return `${theme}: ${id} (${impact}) at ${target.join(" ")}: ${why} ${html.slice(0, 160)}`;
      }),
    );
  } finally {
    if (before === undefined) delete dataset["theme"];
    else dataset["theme"] = before;
  }
}
