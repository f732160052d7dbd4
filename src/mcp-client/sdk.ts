import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/**
 * The used exports of the SDK's client, loaded with the first connection. A direct dynamic import of the SDK would be a
 * third larger, because bundlers do not drop its unused exports.
 */
export const sdk = { Client, StreamableHTTPClientTransport };
