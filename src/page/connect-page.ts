import { browserEnvironment } from "./browser-environment.ts";
import { packageChunks } from "./chunks.ts";
import { createPage } from "./create-page.ts";
import type { Page } from "./page.ts";
import type { PageOptions } from "./page-options.ts";

/**
 * Offers this page's tools to agents. Resolves as soon as the page knows which tab it is; the connection goes on
 * in the background, and `state` says how it stands.
 */
export async function connectPage(options: PageOptions): Promise<Page> {
  const page = createPage(options, { environment: browserEnvironment(), chunks: packageChunks });
  await page.ready;
  return page;
}
