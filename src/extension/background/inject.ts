// Runs the extension's scripts in documents that are open already.
import type { ExtensionApi } from "../browser-api.ts";
import { siteOf } from "../settings.ts";
import type { Settings } from "../settings.ts";
import type { Place } from "./grants.ts";
import { scriptFiles } from "./register-scripts.ts";

export interface Injector {
  /** The document that a tab shows; undefined if the browser does not let the extension into it. */
  look(tab: number): Promise<Place | undefined>;
  /** Whether the extension's scripts look for tools in a document, or offer them. */
  isWatched(place: Place): Promise<boolean>;
  /** The script that looks for tools, and before it the model context of a browser that has none; a site that is read is not only looked at. */
  probe(place: Place, settings: Settings): Promise<void>;
  /** The script that offers the tools. */
  page(place: Place): Promise<void>;
}

export function createInjector({ scripting }: Pick<ExtensionApi, "scripting">): Injector {
  const targetOf = ({ tab, document }: Place) =>
    document === undefined ? { tabId: tab, frameIds: [0] } : { tabId: tab, documentIds: [document] };

  async function run(place: Place, file: string, world: "ISOLATED" | "MAIN" = "ISOLATED"): Promise<void> {
    await scripting.executeScript({ target: targetOf(place), files: [file], world, injectImmediately: true });
  }

  return {
    async look(tab) {
      const target = { tabId: tab, frameIds: [0] };
      // Self-contained: it runs in the page. A sandboxed document has no origin of its own.
      const looked = scripting.executeScript({ target, func: () => self.origin, injectImmediately: true });
      const [found] = await looked.catch(() => []);
      if (typeof found?.result !== "string" || !found.result.startsWith("http")) return undefined;
      return { tab, origin: found.result, document: found.documentId };
    },
    async isWatched(place) {
      const looked = scripting.executeScript({
        target: targetOf(place),
        func: () => globalThis.pagewireRuns === true || globalThis.pagewireProbe?.signal.aborted === false,
        injectImmediately: true,
      });
      const [found] = await looked.catch(() => []);
      return found?.result === true;
    },
    async probe(place, settings) {
      const { polyfill, reading } = siteOf(settings, place.origin);
      if (polyfill) await run(place, scriptFiles.mainWorld, "MAIN");
      // It also takes the way to the model context, for the page's script too.
      await run(place, scriptFiles.probe);
      if (reading) await run(place, scriptFiles.page);
    },
    page: (place) => run(place, scriptFiles.page),
  };
}
