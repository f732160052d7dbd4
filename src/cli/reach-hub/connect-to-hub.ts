import { WebSocket } from "ws";
import { version } from "../../hub/common/version.ts";
import { connectHub } from "../../hub-client/index.ts";
import type { HubClient, HubClientOptions } from "../../hub-client/index.ts";
import { provingOptions, explainNoAccess } from "./access-hub.ts";
import { hubToken, hubUrl, openOwnState } from "./find-hub.ts";
import type { Io } from "../common/io.ts";

export async function connectToHub(
  given: string | undefined,
  io: Io,
  more: Pick<HubClientOptions, "onAsk"> = {},
): Promise<HubClient> {
  const state = openOwnState(io);
  const url = hubUrl(given, io, state);
  const token = hubToken(url, io, state);
  const agent = { name: "pagewire-cli", version };
  const proving = provingOptions(io);
  try {
    return await connectHub({ url, token, agent, WebSocket, ...proving, ...more });
  } catch (error) {
    throw await explainNoAccess(error, { url, secret: "agent", state, ...proving });
  }
}

/** Connects, does something, and leaves, however that ends. */
export async function withHub<Value>(
  given: string | undefined,
  io: Io,
  work: (client: HubClient) => Promise<Value>,
): Promise<Value> {
  const client = await connectToHub(given, io);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
