import { WebSocket } from "ws";
import { version } from "../../hub/common/version.ts";
import { connectHub } from "../../hub-client/index.ts";
import type { ConnectHubOptions, HubClient, HubClientOptions } from "../../hub-client/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { HubContext } from "../contexts/context.ts";
import { isTokenRefused } from "../contexts/context-token.ts";
import type { ContextToken } from "../contexts/context-token.ts";
import { provingOptions, explainNoAccess, tokenOf } from "./access-hub.ts";
import { findHub, hubToken, openOwnState } from "./find-hub.ts";
import type { HubChoice } from "./find-hub.ts";
import { noAnswer } from "./no-answer.ts";
import type { Io } from "../common/io.ts";

type More = Pick<HubClientOptions, "onAsk">;

export async function connectToHub(choice: HubChoice, io: Io, more: More = {}): Promise<HubClient> {
  const state = openOwnState(io);
  const { url, context } = findHub(choice, io, state);
  if (context !== undefined)
    return connectToContext(context, tokenOf(context.name, io, state), { ...connecting(io), ...more });
  const token = hubToken(url, io, state);
  try {
    return await connectHub({ url, token, ...connecting(io), ...more });
  } catch (error) {
    throw await explainNoAccess(error, { url, secret: "agent", state, ...provingOptions(io) });
  }
}

function connecting(io: Io) {
  return { agent: { name: "pagewire-cli", version }, WebSocket, ...provingOptions(io) };
}

/** A hub may refuse a token before its end: because it is too old there, or who signed in has other groups. */
async function connectToContext(
  { hub }: HubContext,
  { current, renewed }: ContextToken,
  options: Omit<ConnectHubOptions, "url" | "token">,
): Promise<HubClient> {
  let last = "";
  let isRefused = false;
  const token = async () => {
    last = await (isRefused ? renewed(last) : current());
    isRefused = false;
    return last;
  };
  const connect = () => connectHub({ ...options, url: hub, token });
  const client = await connect().catch((error: unknown) => {
    if (last === "" || !PagewireError.isInstance(error)) throw error;
    if (error.code === "hub-unreachable" && error.cause !== undefined) throw noAnswer(hub, error);
    if (!isTokenRefused(error.code)) throw error;
    isRefused = true;
    return connect();
  });
  client.onState((state) => {
    isRefused ||= "code" in state && isTokenRefused(state.code);
  });
  return client;
}

/** Connects, does something, and leaves, however that ends. */
export async function withHub<Value>(
  choice: HubChoice,
  io: Io,
  work: (client: HubClient) => Promise<Value>,
): Promise<Value> {
  const client = await connectToHub(choice, io);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
