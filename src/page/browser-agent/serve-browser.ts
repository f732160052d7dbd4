// Serves the browser's own agent: mirrors the page's tools to it, and adds the browser's tools to the page.
import { findModelContext, joinBrowserTools, mirrorToolbox } from "../../webmcp/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { MirroredToolbox } from "../../webmcp/index.ts";
import { createBrowserCalls } from "./browser-calls.ts";
import type { BrowserServing, ServedBrowser } from "./browser-calls.ts";
import type { TabEnvironment } from "../browser/environment.ts";

/** Serves a browser that has a model context, until the signal aborts. */
export function serveBrowser(
  options: BrowserServing,
  environment: Pick<TabEnvironment, "clock" | "date" | "newId">,
): ServedBrowser {
  const { toolbox, limits, native, browserTools, onError, signal } = options;
  const found = findModelContext();
  // The page may have been closed while this part was loading.
  if (!found || signal.aborted) return none;
  const atEnd = (stop: () => void) => signal.addEventListener("abort", stop);
  let mirrored: MirroredToolbox | undefined;
  if (native) {
    mirrored = mirrorToolbox(toolbox, {
      found,
      exposedTo: native === true ? undefined : native.exposedTo,
      callTool: createBrowserCalls(options, environment),
      onRefused(names, message) {
        const error = new PagewireError("tool-refused", `The browser did not take ${listOf(names)}. ${message}`);
        onError(error, { stage: "model context" });
      },
    });
    atEnd(mirrored.close);
  }
  if (browserTools) {
    const fromOrigins = browserTools === true ? undefined : browserTools.fromOrigins;
    const isRefused = (name: string) => mirrored?.isRefused(name) === true;
    atEnd(joinBrowserTools(toolbox, { fromOrigins, offersPerPage: limits.offersPerPage, isRefused, onError }).close);
  }
  return mirrored ?? none;
}

const none: ServedBrowser = { names: () => [] };

/** Max names in a message. */
const shown = 5;

function listOf(names: readonly string[]): string {
  const quoted = names.slice(0, shown).map((name) => `"${name}"`);
  const rest = names.length - quoted.length;
  const list = `${quoted.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `the tool${names.length > 1 ? "s" : ""} ${list}`;
}
