import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/**
 * What is used of the SDK's client; this module is loaded when a server is connected to. Whole, the SDK is a third larger:
 * of a module that is loaded later no bundler can tell what nobody will use.
 */
export const sdk = { Client, StreamableHTTPClientTransport };
