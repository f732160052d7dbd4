// Runs the samples of the ai-agent seed for React, Vue and Svelte, each compiled by its framework's own compiler.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSamplePages, sampleOf, send } from "./ai-agent-samples.ts";
import type { SamplePages, Surroundings } from "./ai-agent-samples.ts";

let pages: SamplePages;

beforeAll(async () => {
  pages = await openSamplePages();
});

afterAll(() => pages.close());

const programs: Readonly<Record<string, Surroundings>> = {
  React: {
    loader: "tsx",
    before: 'import { createRoot } from "react-dom/client";',
    after: 'createRoot(document.getElementById("root")).render(<Chat />);',
  },
  Vue: {
    supplied: { "./Sample.vue": sampleOf("Vue") },
    before: 'import { createApp } from "vue"; import Sample from "./Sample.vue"; createApp(Sample).mount("#root");',
  },
  Svelte: {
    supplied: { "./Sample.svelte": sampleOf("Svelte") },
    before: `import { mount } from "svelte"; import Sample from "./Sample.svelte";
      mount(Sample, { target: document.getElementById("root") });`,
  },
};

test.each(Object.entries(programs))("%s", async (framework, program) => {
  const tab = await pages.run(framework, { html: '<div id="root"></div>', ...program });
  await tab.waitFor("document.querySelector('ai-agent')?.isConnected");
  expect(await send(tab, "Count for me, one two three")).toBe("You said: Count for me, one two three");
  const items =
    "Array.from(document.querySelectorAll('li'), ({ className, textContent }) => [className, textContent.trim()])";
  await expect
    .poll(() => tab.evaluate(items))
    .toEqual([
      ["user", "Count for me, one two three"],
      ["assistant", "You said: Count for me, one two three"],
    ]);
  expect(tab.console.errors).toEqual([]);
  await tab.close();
});
