// The model context that the extension's scripts see in their own world: the browser's, or the bridge to that of the page's world.
import { receivePort } from "../bridge/hand-over.ts";

declare global {
  /** The port to the model context of the page's own world, where the browser has none. */
  var pagewireBridge: MessagePort | undefined;
  /** The bridge over that port, once the page's script has built it: a port has one client. */
  var pagewireModelContext: unknown;
}

/** Takes the port for the extension's scripts in this document: at once, because it is handed over before the page's run. */
export function keepBridgePort(): void {
  receivePort((port) => {
    globalThis.pagewireBridge = port;
    globalThis.pagewireModelContext = undefined;
  });
}

/** The browser's model context, or else the bridge as `build` makes it of its port. */
export function modelContext(build: (port: MessagePort) => unknown): unknown {
  const { modelContext: native } = document as { readonly modelContext?: unknown };
  const port = globalThis.pagewireBridge;
  return native ?? globalThis.pagewireModelContext ?? (port && build(port));
}

/** Whether this document may have tools: a top document with an origin and a head, which is shown or was. */
export function isSite(): boolean {
  return window === top && /^https?:\/\//.test(self.origin) && document instanceof HTMLDocument;
}

/** Calls back once the document is no longer being rendered ahead of its visit. */
export function whenVisited(run: () => void): void {
  const { prerendering } = document as { readonly prerendering?: boolean };
  if (!prerendering) return run();
  document.addEventListener("prerenderingchange", run, { once: true });
}
