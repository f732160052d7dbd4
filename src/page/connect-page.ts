import { browserEnvironment } from "./browser-environment.ts";
import { packageChunks } from "./chunks.ts";
import { createPage } from "./create-page.ts";
import type { Page } from "./page.ts";
import type { PageOptions } from "./page-options.ts";

/**
 * Offers this page's tools to agents. Resolves at once, also where there is no hub: the connection goes on in the
 * background, and `state` says how it stands.
 */
export async function connectPage(options: PageOptions): Promise<Page> {
  return createPage(options, { environment: browserEnvironment, chunks: packageChunks });
}
