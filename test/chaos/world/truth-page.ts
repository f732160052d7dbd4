// The pages of a run and their server. It is the driver's own: pages report their runs to it directly, so that the
// record does not depend on the hub.
import { readFileSync, readdirSync } from "node:fs";
import type { IncomingMessage, RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { servePages } from "../../e2e/support/page-server.ts";
import type { Page, PageServer } from "../../e2e/support/page-server.ts";
import type { Run } from "../history.ts";

const scripts = fileURLToPath(new URL("../../../dist/browser/", import.meta.url));

/** The server of these pages; each run is reported to it. */
export async function serveTruth(pages: Record<string, Page>, onRun: (run: Run) => void): Promise<PageServer> {
  const take: RequestListener = (request, response) => {
    readRun(request).then(onRun, () => {});
    response.writeHead(204).end();
  };
  Object.assign(pages, pageScripts(), { "/elsewhere": "<title>Elsewhere</title>", "/ran": "" });
  return servePages(pages, { listeners: { "/ran": take } });
}

async function readRun(request: IncomingMessage): Promise<Run> {
  return JSON.parse(await text(request)) as Run;
}

/** The page's script and its chunks, so that pages can load while there is no hub. */
function pageScripts(): Record<string, Page> {
  const type = "text/javascript";
  const files = ["pagewire", "chunks"].flatMap((folder) =>
    readdirSync(`${scripts}${folder}`).map((name) => [`/pagewire/${name}`, `${folder}/${name}`] as const),
  );
  const all = [["/pagewire.js", "pagewire.js"] as const, ...files];
  return Object.fromEntries(all.map(([path, file]) => [path, { type, body: readFileSync(`${scripts}${file}`) }]));
}

/** A page with the tools of one app. The browser sends a beacon even if the page then crashes or freezes. */
export function truthPage(app: string, hub: string): string {
  return `<!doctype html><title>${app}</title>
<script src="/pagewire.js" data-app="${app}" data-hub="${hub}"></script>
<script>
// A page that lost its connection is still the tab that a call was sent to, although its state has no id then.
let tab = pagewire.state.tabId;
pagewire.onState(({ tabId }) => { tab = tabId ?? tab; });
const inputSchema = { type: "object", properties: { tag: { type: "string" }, work: { type: "number" } }, required: ["tag", "work"] };
const tool = (name, annotations) => pagewire.registerTool({ name, description: name, inputSchema, annotations, execute: async ({ tag, work }) => {
  const run = crypto.randomUUID();
  navigator.sendBeacon("/ran", JSON.stringify({ tag, run, tab, at: Date.now() }));
  if (work > 0) await new Promise((resolve) => setTimeout(resolve, work));
  return { tag, run };
} });
tool("${app}_write", {});
tool("${app}_read", { readOnlyHint: true });
tool("${app}_pay", {});
tool("${app}_send", {});
</script>`;
}
