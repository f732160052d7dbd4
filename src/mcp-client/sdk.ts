import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/**
 * The used exports of the SDK's client, loaded with the first connection. Imported directly, the SDK is a third larger:
 * bundlers do not drop unused exports of a dynamic import.
 */
export const sdk = { Client, StreamableHTTPClientTransport };
