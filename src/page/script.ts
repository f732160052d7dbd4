// The one script tag: <script src="http://127.0.0.1:7337/pagewire.js" data-app="shop"></script>
import type { Approve, LoadValidator } from "../toolbox/index.ts";
import type { CallsPart, Chunks, Dialog } from "./chunks.ts";
import { createPage } from "./create-page.ts";
import { browserEnvironment } from "./environment.ts";
import type { Page } from "./page.ts";

declare global {
  interface Window {
    /** The page, as the script tag connected it. */
    pagewire: Page & { readonly approveInPage: Approve };
  }
}

const script = document.currentScript as HTMLScriptElement;
const { app = location.hostname || "page", hub = new URL(script.src).origin, token } = script.dataset;

const load = <Chunk>(name: string): Promise<Chunk> =>
  import(new URL(`/pagewire/${name}.js`, script.src).href) as Promise<Chunk>;
const chunks: Chunks = {
  calls: () => load<CallsPart>("calls"),
  validator: async () => (await load<{ readonly loadValidator: LoadValidator }>("validator")).loadValidator(),
  dialog: () => load<Dialog>("dialog"),
};

const page = createPage({ app, hub, ...(token ? { token } : {}) }, { environment: browserEnvironment(), chunks });
const approveInPage: Approve = async (request, signal) => (await chunks.dialog()).approve(request, signal);
window.pagewire = Object.assign(page, { approveInPage });
