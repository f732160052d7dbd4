// The one script tag: <script src="http://127.0.0.1:7337/pagewire.js" data-app="shop"></script>
import type { Approve, ValidateJson } from "../toolbox/index.ts";
import { browserEnvironment } from "./browser/browser-environment.ts";
import type { ModelContextPart } from "./browser-agent/browser-calls.ts";
import type { UnreachablePart } from "./connection/connection.ts";
import type { SessionPart } from "./connection/create-session.ts";
import type { WorkerPart } from "./via-worker/worker-links.ts";
import { createApprove } from "./dialog/dialog.ts";
import { createPage } from "./create-page.ts";
import type { Dialog } from "./dialog/dialog.ts";
import type { Page } from "./api/page.ts";

declare global {
  interface Window {
    /** The page, as the script tag connected it. */
    pagewire: Page & { readonly approveInPage: Approve };
  }
}

const { src, dataset } = document.currentScript as HTMLScriptElement;
const { app = location.hostname || "page", hub = new URL(src).origin, token, worker, serviceWorker } = dataset;
const { native, exposedTo, browserTools, fromOrigins } = dataset;

/** Boolean attributes are on when present, unless their value is "false". */
const isOn = (value: string | undefined) => value !== undefined && value !== "false";
const origins = (list: string) => list.trim().split(/\s+/);

let failures = 0;

/** Loads a chunk from beside this script. Browsers may cache a failed import, so each retry has another URL. */
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
      validator: async () =>
        (await load<{ readonly jsonSchemaValidator: ValidateJson }>("validator")).jsonSchemaValidator,
      dialog,
      worker: () => load<WorkerPart>("worker"),
      unreachable: () => load<UnreachablePart>("unreachable"),
      modelContext: () => load<ModelContextPart>("model-context"),
    },
  },
);
window.pagewire = Object.assign(page, { approveInPage: createApprove(dialog) });
