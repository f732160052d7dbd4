// Looks for tools in each new page of an allowed site, and tells the worker once there is one.
import { mayAsk, watchLeaving } from "../../webmcp/index.ts";
import type { ToMainWorld } from "../bridge/bridge-messages.ts";
import type { ExtensionApi } from "../browser-api.ts";
import type { FromProbe } from "../messages.ts";
import { isSite, keepBridgePort, modelContext, whenVisited } from "./context.ts";

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
  let bridged: Context | undefined;
  let followed: Context | undefined;
  let isAsking = false;
  let isStale = false;

  async function look(): Promise<void> {
    const context = modelContext((port) => (bridged ??= listenTo(port))) as Context | undefined;
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
  keepBridgePort();
  whenVisited(() => {
    for (const type of ["readystatechange", "modelcontext"]) document.addEventListener(type, onChange, { signal });
    addEventListener("pageshow", onChange, { signal });
    onChange();
  });
}

/** As much of the page's model context as the probe needs: any answer that lists no tool is an empty list. */
function listenTo(port: MessagePort): Context {
  let answer = (_tools: readonly unknown[]) => {};
  const context = Object.assign(new EventTarget(), {
    getTools: () =>
      new Promise<readonly unknown[]>((resolve) => {
        answer = resolve;
        // The page's script numbers its questions from one, and so does not take the answer for its own.
        port.postMessage({ type: "list", id: 0 } satisfies ToMainWorld);
      }),
  });
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const { type, tools } = Object(data) as Readonly<Record<string, unknown>>;
    if (type === "change") context.dispatchEvent(new Event("toolchange"));
    else answer(Array.isArray(tools) ? tools : []);
  };
  return context;
}
