import { expect } from "vitest";
import { openChromium } from "../e2e/support/chromium.ts";
import type { Page } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { startModelServer } from "../e2e/support/model-server.ts";
import type { ModelServer } from "../e2e/support/model-server.ts";
import { bundleForPage } from "./sample-modules.ts";
import type { ModuleSetting } from "./sample-modules.ts";
import { readSamples } from "./samples.ts";

export const samples = readSamples("./ai-agent-component.md");

/** A sample with its gaps filled. */
export function sampleOf(heading: string, filled: Readonly<Record<string, string>> = {}): string {
  let sample = samples.get(heading);
  if (sample === undefined) throw new Error(`There is no sample "${heading}".`);
  for (const [gap, filling] of Object.entries(filled)) {
    expect(sample).toContain(gap);
    sample = sample.replace(gap, filling);
  }
  return sample;
}

/** The parts of a sample's page around it. */
export interface Surroundings extends ModuleSetting {
  /** HTML before it. */
  readonly html?: string;
  /** Code before it. */
  readonly before?: string;
  /** Code after it. */
  readonly after?: string;
  /** Whether the sample registers the elements itself. */
  readonly registers?: boolean;
}

/** Redirects the samples' addresses to this page's own origin. */
const elsewhere = `
  const direct = window.fetch;
  const led = { "http://localhost:11434": "/ollama", "https://api.openai.com": "/openai" };
  window.fetch = (url, init) => {
    const [from, to] = Object.entries(led).find(([from]) => String(url).startsWith(from)) ?? ["", ""];
    return direct(String(url).replace(from, to), init);
  };`;

/** Waits until the send of an element, or of a sample, has ended. */
export const answered = "document.querySelector('ai-agent').content && !document.querySelector('ai-agent').loading";

export interface SamplePages {
  readonly models: ModelServer;
  /** Opens the page that runs a sample, and waits until the sample has started. */
  run(heading: string, surroundings?: Surroundings): Promise<Tab>;
  close(): Promise<void>;
}

export async function openSamplePages(): Promise<SamplePages> {
  const served: Record<string, Page> = {};
  const models = await startModelServer(served);
  const browser = await openChromium();

  return {
    models,
    async run(heading, { html = "", before = "", after = "", registers = false, ...setting } = {}) {
      const path = `/${encodeURIComponent(heading.replaceAll(" ", "-"))}`;
      const sample = samples.get(heading) ?? "";
      const isMarkup = sample.startsWith("<") && setting.supplied === undefined;
      const script = isMarkup ? before : `${before}\n${setting.supplied ? "" : sample}\n${after}`;
      const start = registers ? "" : 'import "@csbc-dev/ai-agent/auto";';
      const whole = `${start}${elsewhere}\n${script}\nwindow.ran = true;`;
      served[`${path}.js`] = await bundleForPage(whole, setting);
      const load = `<script type="module" src="${path}.js"></script>`;
      served[path] =
        `<!doctype html><meta charset="utf-8"><title>Sample</title>${load}${html}${isMarkup ? sample : ""}`;
      const tab = await browser.open(`${models.origin}${path}`);
      await tab.waitFor("window.ran");
      return tab;
    },
    async close() {
      await browser.close();
      await models.close();
    },
  };
}

/** Sends a prompt as a user's program does; returns the promise's value. */
export function send(tab: Tab, prompt: string): Promise<string | null> {
  return tab.evaluate((text: string) => {
    const element = document.querySelector("ai-agent") as HTMLElement & {
      prompt: string;
      send(): Promise<string | null>;
    };
    element.prompt = text;
    return element.send();
  }, prompt);
}
