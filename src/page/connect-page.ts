import { browserEnvironment } from "./browser/browser-environment.ts";
import { packageChunks } from "./chunks.ts";
import { createPage } from "./create-page.ts";
import type { Page } from "./api/page.ts";
import type { PageOptions } from "./api/page-options.ts";
import type { ServedPort, WorkerPortOptions } from "./via-worker/open-worker-port.ts";

/**
 * Offers this page's tools to agents. Resolves at once, even without a hub: the page keeps connecting in the
 * background, and `state` reports the progress.
 */
export async function connectPage(options: PageOptions): Promise<Page> {
  return createPage(options, { environment: browserEnvironment, chunks: packageChunks });
}

/**
 * Connects an MCP client to a worker of this page's origin; `connectServingWorker` of `pagewire/worker` makes a
 * transport from the port. The code is loaded on demand.
 */
export async function connectWorkerPort(options: WorkerPortOptions): Promise<ServedPort> {
  const { openWorkerPort } = await import("./chunks/worker.ts");
  return openWorkerPort(options);
}
