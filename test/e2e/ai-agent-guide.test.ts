// Runs docs/guide/an-agent-in-your-page.md exactly as written.
import { readFileSync } from "node:fs";
import type {} from "pagewire/ai-agent";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { startModelServer } from "./support/model-server.ts";
import type { ModelServer } from "./support/model-server.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = read("docs/guide/an-agent-in-your-page.md");

function snippets(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, found, text]) =>
    found === language && text ? [text] : [],
  );
}

const scripts = snippets("js").filter((script) => !script.startsWith("import"));
const modules = snippets("js").filter((script) => script.startsWith("import"));

/** The variables that the snippets assume. */
const given = `
const basket = ["tea"];
const file = new Blob(["tea"], { type: "image/png" });
const report = new Blob(["%PDF-1.7"], { type: "application/pdf" });
const dataUrl = async (blob) => "data:" + blob.type + ";base64," + btoa(await blob.text());
const fillIn = (object) => (window.filled = object);
const session = { token: () => "of-this-session" };
`;

let hub: HubProcess;
let model: ModelServer;
let pages: PageServer;
let browser: Browser;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  pages = await servePages(served);
  const list = { data: [{ id: "gpt-5.4", object: "model" }] };
  model = await startModelServer({ "/v1/models": { body: JSON.stringify(list), type: "application/json" } });
  hub = await startHub({ args: ["--allow-origin", pages.origin] });
  const fields = "<!doctype html><title>Chat</title><textarea></textarea><output></output>";
  const [chat, tag] = snippets("html")
    .filter((markup) => markup.includes("<script"))
    .map((markup) => markup.replace("http://127.0.0.1:7337", hub.url));
  served["/chat"] = `<!doctype html><title>Chat</title>${chat}`;
  served["/tag"] = fields + tag;
  served["/auto.js"] = await bundleModule(`import "pagewire/ai-agent/auto";`);
  served["/local"] = `${fields}<script type="module" src="/auto.js"></script>`;
  for (const [index, module] of modules.entries()) {
    served[`/module-${index}.js`] = await bundleModule(`${given}${module}`);
    served[`/module-${index}`] = `<title>Module</title><script type="module" src="/module-${index}.js"></script>`;
  }
  browser = await openChromium();
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await model.close();
  await pages.close();
});

test("the guide's chat in three lines", async () => {
  const tab = await browser.open(pages.url("/chat"));
  await tab.type("ai-chat >>> textarea", "Hello");
  await tab.press("Enter");
  await tab.waitFor(
    "/rehearsal/.test(document.querySelector('ai-chat').shadowRoot.querySelector('.answer')?.innerText)",
  );
});

test("the guide's agent without a look, with the page that it shows around them", async () => {
  const tab = await browser.open(pages.url("/tag"));
  await tab.waitFor("customElements.get('ai-agent')");
  await tab.evaluate(`{ ${scripts[0]} ; window.chat = chat; }`);
  await tab.type("textarea", "Hello");
  await tab.click("button");
  await tab.waitFor("document.querySelector('output').textContent.includes('rehearsal model')");
});

test.each(scripts.slice(1).map((script) => ({ first: script.split("\n")[0], script })))(
  "the guide's script runs: $first",
  async ({ script }) => {
    const tab = await browser.open(pages.url("/local"));
    await tab.waitFor("customElements.get('ai-agent')");
    const properties = {
      provider: "openai",
      model: "any",
      baseUrl: model.origin,
      prompt: "What is in season?",
    };
    const error = await tab.evaluate(`(async () => {
      const chat = document.body.appendChild(document.createElement("ai-agent"));
      Object.assign(chat, ${JSON.stringify(properties)});
      await chat.send();
      ${given}
      await (async () => { ${script} })();
      return chat.error;
    })()`);
    expect([error, tab.console.errors]).toEqual([null, []]);
  },
);

test.each(modules.map((_, index) => index))("the guide's module %i defines the elements", async (index) => {
  const tab = await browser.open(pages.url(`/module-${index}`));
  await tab.waitFor("customElements.get('ai-agent')");
  expect(tab.console.errors).toEqual([]);
});

test("the guide's markup has no attribute that the elements do not know", () => {
  const manifest = JSON.parse(read("src/element/custom-elements.json")) as {
    modules: { declarations: { tagName: string; attributes: { name: string }[] }[] }[];
  };
  const known = manifest.modules.flatMap(({ declarations }) =>
    declarations.flatMap(({ tagName, attributes }) => attributes.map(({ name }) => `${tagName} ${name}`)),
  );
  const written = [
    ...snippets("html")
      .join("\n")
      .matchAll(/<(ai-\w+)([^>]*)>/g),
  ].flatMap(([, tag, attributes = ""]) => [...attributes.matchAll(/([\w-]+)(?==)/g)].map(([name]) => `${tag} ${name}`));
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter((one) => !known.includes(one) && !one.endsWith(" id"))).toEqual([]);
});
