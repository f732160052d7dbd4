// The one script tag: <script src="http://127.0.0.1:7337/pagewire.js" data-app="shop"></script>
import type { Approve } from "../toolbox/index.ts";
import { browserEnvironment } from "./browser-environment.ts";
import type { ModelContextPart, SessionPart, UnreachablePart, ValidatorPart, WorkerPart } from "./chunks.ts";
import { createApprove } from "./create-approve.ts";
import { createPage } from "./create-page.ts";
import type { Dialog } from "./dialog/dialog.ts";
import type { Page } from "./page.ts";

declare global {
  interface Window {
    /** The page, as the script tag connected it. */
    pagewire: Page & { readonly approveInPage: Approve };
  }
}

const { src, dataset } = document.currentScript as HTMLScriptElement;
const { app = location.hostname || "page", hub = new URL(src).origin, token, worker, serviceWorker } = dataset;
const { native, exposedTo, browserTools, fromOrigins } = dataset;

/** An attribute that is there says yes, unless it says "false". */
const isOn = (value: string | undefined) => value !== undefined && value !== "false";
const origins = (list: string) => list.trim().split(/\s+/);

let failures = 0;

/** Loads what lies beside this script. A browser may remember that an address failed: the next try has another. */
const load = async <Chunk>(name: string): Promise<Chunk> => {
  const again = failures ? `?${failures}` : "";
  try {
    return await (import(/* @vite-ignore */ new URL(`pagewire/${name}.js${again}`, src).href) as Promise<Chunk>);
  } catch (error) {
    failures++;
    throw error;
  }
};
const dialog = () => load<Dialog>("dialog");

const page = createPage(
  {
    app,
    hub,
    ...(token ? { token } : {}),
    ...(worker === undefined ? {} : { worker: worker || "auto" }),
    ...(serviceWorker ? { serviceWorker } : {}),
    native: isOn(native) && (exposedTo ? { exposedTo: origins(exposedTo) } : true),
    browserTools: browserTools !== "false" && (fromOrigins ? { fromOrigins: origins(fromOrigins) } : true),
  },
  {
    environment: browserEnvironment,
    chunks: {
      session: () => load<SessionPart>("session"),
      validator: async () => (await load<ValidatorPart>("validator")).jsonSchemaValidator,
      dialog,
      worker: () => load<WorkerPart>("worker"),
      unreachable: () => load<UnreachablePart>("unreachable"),
      modelContext: () => load<ModelContextPart>("model-context"),
    },
  },
);
window.pagewire = Object.assign(page, { approveInPage: createApprove(dialog) });
