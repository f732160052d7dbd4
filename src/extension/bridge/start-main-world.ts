import { installPolyfill, nativeAt } from "../../webmcp/index.ts";
import { offerPort } from "./hand-over.ts";
import { serveBridge } from "./main-side.ts";

/** In the page's own world: gives its document a model context if the browser has none, and the extension a way to it. */
export function startMainWorld(): void {
  // The extension sees the browser's own. Documents of no origin offer nothing.
  if (!isSecureContext || origin === "null" || nativeAt(window)) return;
  installPolyfill();
  const { port1, port2 } = new MessageChannel();
  serveBridge(port1);
  offerPort(port2);
}
