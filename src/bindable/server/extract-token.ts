import type { IncomingMessage } from "node:http";

const prefixes = ["auth0-gate.bearer.", "pagewire.bearer."];

/** A neutral subprotocol beside the token: the server selects it, so that the token is not echoed. */
const plainProtocol = "pagewire.core.1";

/** The token that a browser's WebSocket brought as a subprotocol, `auth0-gate.bearer.<JWT>` or `pagewire.bearer.<JWT>`; throws where there is none. */
export function extractTokenFromProtocol(request: Pick<IncomingMessage, "headers">): string {
  const offered = request.headers["sec-websocket-protocol"]?.split(",") ?? [];
  for (const protocol of offered.map((each) => each.trim())) {
    const token = protocol.slice(prefixOf(protocol)?.length ?? protocol.length);
    if (token) return token;
  }
  throw new Error(`No token came with the connection. Offer the subprotocol ${prefixes.join("<token> or ")}<token>.`);
}

/** A browser hangs up on a server that takes none of what it offered. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(plainProtocol)) return plainProtocol;
  return [...offered].find((protocol) => prefixOf(protocol)) ?? false;
}

function prefixOf(protocol: string): string | undefined {
  return prefixes.find((prefix) => protocol.startsWith(prefix));
}
