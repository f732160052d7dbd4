// What a browser's socket can say in its upgrade: a page sets no headers, only subprotocols.
import type { IncomingMessage } from "node:http";

/** The protocol of a socket that speaks to a model, and of an agent's window's. */
export const coreProtocol = "pagewire.core.1";
export const windowProtocol = "pagewire.window.1";

const tokenForm = /^(?:pagewire|auth0-gate)\.bearer\.(.{1,8192})$/;
const tabForm = /^pagewire\.tab\.(.{1,128})$/;

/** The page's token, from `pagewire.bearer.<token>`; undefined where there is none or more than one. */
export function protocolToken(request: IncomingMessage): string | undefined {
  return onlyOne(request, tokenForm);
}

/** The tab that the page says it is, from `pagewire.tab.<id>`. */
export function protocolTab(request: IncomingMessage): string | undefined {
  return onlyOne(request, tabForm);
}

/** Which of the offered protocols a socket has: its own, or any. A browser hangs up where none of its own is chosen. */
export function chooseProtocol(offered: ReadonlySet<string>, own: string): string | false {
  const [first = false] = offered;
  if (offered.has(own)) return own;
  return [...offered].find((one) => tokenForm.test(one)) ?? first;
}

function onlyOne({ headers }: IncomingMessage, form: RegExp): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const found = offered.flatMap((one) => form.exec(one)?.[1] ?? []);
  return found.length === 1 ? found[0] : undefined;
}
