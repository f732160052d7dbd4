// Looks for tools in each new page of an allowed site, and tells the worker once there is one.
import { mayAsk, watchLeaving } from "../../webmcp/index.ts";
import { receiveBridge } from "../bridge/isolated-side.ts";
import type { ExtensionApi } from "../browser-api.ts";
import type { FromProbe } from "../messages.ts";
import { isSite, modelContext, whenVisited } from "./context.ts";

type Context = EventTarget & { getTools(): Promise<readonly unknown[]> };

declare global {
  /** Ends the probe that runs in this document, of which there is one. */
  var pagewireProbe: AbortController | undefined;
}

export function startProbe({ sendMessage }: Pick<ExtensionApi["runtime"], "sendMessage">): void {
  if (!isSite()) return;
  globalThis.pagewireProbe?.abort();
  const ending = (globalThis.pagewireProbe = new AbortController());
  const { signal } = ending;
  let followed: Context | undefined;
  let isAsking = false;
  let isStale = false;

  async function look(): Promise<void> {
    const context = modelContext() as Context | undefined;
    isStale = isAsking;
    if (signal.aborted || isAsking || typeof context?.getTools !== "function") return;
    if (context !== followed) context.addEventListener?.("toolchange", onChange, { signal });
    followed = context;
    isAsking = true;
    try {
      await mayAsk();
      const tools = signal.aborted ? [] : await context.getTools();
      if (tools.length === 0 || signal.aborted) return;
      ending.abort();
      await sendMessage({ type: "tools-here" } satisfies FromProbe);
    } catch {
      // A page that may not have tools, or an extension that was updated: its new version looks again.
    } finally {
      isAsking = false;
      if (isStale) void look();
    }
  }

  const onChange = () => void look();
  watchLeaving();
  // At once: the bridge is handed over before the page's scripts run.
  receiveBridge((bridge) => {
    globalThis.pagewireModelContext = bridge;
  });
  whenVisited(() => {
    for (const type of ["readystatechange", "modelcontext"]) document.addEventListener(type, onChange, { signal });
    addEventListener("pageshow", onChange, { signal });
    onChange();
  });
}
