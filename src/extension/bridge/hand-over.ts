// Hands a port from the page's own world to the extension's. Both scripts run before any of the page's, in either order, and
// share nothing but the document: so this is over, without a trace, before the parser adds what could hold a script.

/** Asks for the port. */
const asking = "pagewire-bridge-ask";
/** Has the port. */
const offering = "pagewire-bridge-port";

/** Offers a port, once, to the extension's script in this document. */
export function offerPort(port: MessagePort): void {
  // Taking it cancels the event.
  const offer = () => !document.dispatchEvent(new MessageEvent(offering, { ports: [port], cancelable: true }));
  if (offer()) return;
  const onAsked = () => {
    if (offer()) stop();
  };
  const stop = listenUntilScripts(asking, onAsked);
}

/** Receives the port, at most once: at once if the other script has run, or else when it does. */
export function receivePort(use: (port: MessagePort) => void): void {
  const onOffered = (event: Event) => {
    const [port] = (event as MessageEvent).ports ?? [];
    if (!port) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    stop();
    use(port);
  };
  const stop = listenUntilScripts(offering, onOffered);
  document.dispatchEvent(new Event(asking));
  // After an update of the extension, the other script was injected before.
  if (mayHaveScripts()) stop();
}

/** Listens until the returned function is called, or the page's content begins, unless it has begun already. */
function listenUntilScripts(type: string, listener: (event: Event) => void): () => void {
  const observer = new MutationObserver(() => mayHaveScripts() && stop());
  const stop = () => {
    observer.disconnect();
    document.removeEventListener(type, listener);
  };
  document.addEventListener(type, listener);
  if (!mayHaveScripts()) observer.observe(document, { childList: true, subtree: true });
  return stop;
}

/** Whether the parser has come to the page's content. Other extensions add elements to the root before it does. */
function mayHaveScripts(): boolean {
  const { head, body, contentType, documentElement } = document;
  return Boolean(head ?? body ?? (contentType !== "text/html" && documentElement?.firstElementChild));
}
