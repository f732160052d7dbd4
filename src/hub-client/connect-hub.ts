import { connectSocket } from "../link/index.ts";
import { createHubClient } from "./create-hub-client.ts";
import { hubAddress } from "./hub-address.ts";
import type { ConnectHubOptions, HubClient } from "./hub-client.ts";
import { proveHub } from "./prove-hub.ts";

/**
 * Connects to a hub as an agent. Rejects with a named error if the first attempt fails; later it reconnects whenever the
 * connection ends. Each time the hub first proves that it has the token, which itself is never sent.
 */
export async function connectHub(options: ConnectHubOptions): Promise<HubClient> {
  const { url, token, WebSocket, fetch, relayTo, ...rest } = options;
  const address = hubAddress(url);
  const timing = rest.clock === undefined ? {} : { clock: rest.clock };
  let bearer: string | undefined;

  async function openLink() {
    const own = typeof token === "function" ? await token() : token;
    const bare = { url: address, token: own };
    const hub = own === undefined ? bare : await proveHub({ url: address, token: own, fetch, relayTo });
    bearer = hub.token;
    return connectSocket({ url: `${hub.url.replace("http", "ws")}/agent`, WebSocket, ...timing });
  }

  return createHubClient({ ...rest, url, openLink, bearer: () => bearer });
}
