import { connectSocket } from "../link/index.ts";
import { createHubClient } from "./create-hub-client.ts";
import { hubAddress } from "./hub-address.ts";
import type { ConnectHubOptions, HubClient } from "./hub-client.ts";

/**
 * Connects to a hub as an agent. Rejects with a named error when the first attempt fails; from then on the connection
 * is made again whenever it ends.
 */
export async function connectHub({ url, WebSocket, ...options }: ConnectHubOptions): Promise<HubClient> {
  const address = `${hubAddress(url).replace("http", "ws")}/agent`;
  const timing = options.clock === undefined ? {} : { clock: options.clock };
  const openLink = () => connectSocket({ url: address, WebSocket, ...timing });
  return createHubClient({ ...options, url, openLink });
}
