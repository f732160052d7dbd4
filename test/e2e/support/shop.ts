// The page for the tests of faults: tools that work, wait, fail and misbehave, with a count of the runs of each.

/** The page's HTML. `hub` is the address of its script. */
export function shopPage(hub: string, app = "shop"): string {
  return `<!doctype html><title>Shop</title>
<h1>Shop</h1>
<a id="download" href="/file.bin" download>download</a>
<script src="${hub}/pagewire.js" data-app="${app}"></script>
<script>${toolsOfTheShop}</script>`;
}

/** The counts are in localStorage: they survive the document, so a test can always tell what ran. */
const toolsOfTheShop = `
const count = (kind, tag) => {
  const key = kind + ":" + tag;
  localStorage.setItem(key, Number(localStorage.getItem(key) ?? 0) + 1);
};
const tagged = { type: "object", properties: { tag: { type: "string" }, ms: { type: "number" } }, required: ["tag"], additionalProperties: false };
const tool = (name, execute, more = {}) =>
  pagewire.registerTool({ name, description: name, inputSchema: tagged, ...more, execute: (input, context) => {
    count("ran", input.tag);
    context.signal.addEventListener("abort", () => count("aborted", input.tag));
    return execute(input, context);
  } });

tool("echo", ({ tag }) => ({ tag }));
tool("wait", ({ tag, ms = 0 }) => new Promise((resolve) => setTimeout(resolve, ms, { tag })));
tool("look", ({ tag, ms = 0 }) => new Promise((resolve) => setTimeout(resolve, ms, { tag })), { annotations: { readOnlyHint: true } });
tool("hold", ({ tag }) => new Promise((resolve) => { window.finish = () => resolve({ tag }); }));
tool("never", () => new Promise(() => {}));
// Keeps the main thread busy until the pages' server releases this tag.
tool("block", ({ tag }) => { const held = new XMLHttpRequest(); held.open("GET", "/when-released?" + tag, false); held.send(); return { tag }; });
tool("fail", ({ tag }) => { throw new Error("The shelf " + tag + " is empty."); });
tool("big", ({ ms }) => "x".repeat(ms));
tool("circular", ({ tag }) => { const value = { tag }; value.self = value; return value; });
tool("bigint", ({ tag }) => ({ tag, amount: 10n }));
tool("steps", async ({ tag }, { progress, log }) => {
  for (let step = 1; step <= 3; step++) { progress(step, 3, tag + " " + step); log("info", { tag, step }); await 0; }
  return { tag };
});
tool("unlock", ({ tag }) => { tool("open_safe", () => ({ tag })); return { tag }; });
tool("question", async ({ tag }, { ask }) => ({ tag, answer: await ask({ message: tag }) }));
`;
