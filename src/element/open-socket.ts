import { PagewireError } from "../wire/index.ts";
import type { RemoteToken } from "./config-types.ts";

/** A socket with a token, which is requested for each connection. */
export async function openSocket(url: URL, token: RemoteToken | undefined): Promise<WebSocket> {
  const text = typeof token === "function" ? await token() : token;
  if (text && !/^[\w!#$%&'*+.^`|~-]+$/.test(text)) {
    const message = "<ai-agent>: the token has characters that a WebSocket's subprotocol cannot carry: use base64url.";
    throw new PagewireError("options-invalid", message);
  }
  // The first is for the server to choose, which would repeat the token otherwise.
  return new WebSocket(url, text ? ["pagewire.core.1", `pagewire.bearer.${text}`] : []);
}
