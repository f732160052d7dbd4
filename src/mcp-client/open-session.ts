// Which request a connection to a server begins with, and what follows where the server refuses that.
import { connectError, isOtherEra, isSettled, shownAddress } from "./failures.ts";
import type { McpHandshake, SessionOptions } from "./mcp-toolbox.ts";
import { noteRefusedHandshake, refusedHandshake } from "./refused-handshakes.ts";
import { connect } from "./session.ts";
import type { Begin, Session, SessionEvents } from "./session.ts";

/** Connects; rejects with a `PagewireError`, or with the reason of the signal. */
export async function openSession(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const server = shownAddress(options.url);
  try {
    const session = await shakeHands(options, events);
    return session.isDoubtful && refusedHandshake(server) !== "discover"
      ? await replaceDoubtful(session, options, events)
      : session;
  } catch (error) {
    throw options.signal?.aborted ? options.signal.reason : connectError(error, server);
  }
}

/** So many times longer a server may take to answer where it is asked to discover once more. */
const patience = 10;

/** Asks the server to discover. Its session goes on where the server cannot be connected to once more. */
async function replaceDoubtful(session: Session, options: SessionOptions, events: SessionEvents): Promise<Session> {
  const server = shownAddress(options.url);
  const limits = { ...options.limits, discoverTime: patience * options.limits.discoverTime };
  const asking = shakeHands({ ...withoutSignIn(options), handshake: "discover", limits }, events);
  const next = await asking.catch(() => undefined);
  if (!next && !options.signal?.aborted) return session;
  await session.close();
  if (!next) throw options.signal?.reason;
  const isNewer = next.client.getProtocolEra() === "modern";
  if (!isNewer || options.handshake === "initialize") noteRefusedHandshake(server, isNewer ? "initialize" : "discover");
  return next;
}

/** What the authorization server's redirect came back with is good once. */
function withoutSignIn({ authorizationResponse: _used, ...options }: SessionOptions): SessionOptions {
  return options;
}

/** Begins with the request that was asked for, and with the other one where the server refuses it. */
async function shakeHands(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const { handshake, signal, limits } = options;
  const { connectTime, discoverTime } = limits;
  const server = shownAddress(options.url);
  const refused = refusedHandshake(server);
  const isDiscoverFirst = refused === undefined ? handshake === "discover" : refused === "initialize";
  if (isDiscoverFirst) {
    const begin = beginBy("discover", refused === "initialize" ? connectTime : discoverTime);
    try {
      const session = await connect(options, events, begin);
      // The SDK turned to the other one by itself.
      if (begin.isInitialized && !session.isDoubtful) noteRefusedHandshake(server, "discover");
      return session;
    } catch (error) {
      if (begin.isInitialized || signal?.aborted || isSettled(error)) throw error;
    }
  }
  const rest = isDiscoverFirst ? withoutSignIn(options) : options;
  try {
    const session = await connect(rest, events, beginBy("initialize", 0));
    if (isDiscoverFirst && !session.isDoubtful) noteRefusedHandshake(server, "discover");
    return session;
  } catch (error) {
    if (signal?.aborted || !isOtherEra(error)) throw error;
    const discovering = connect(withoutSignIn(rest), events, beginBy("discover", connectTime));
    const session = await discovering.catch(() => Promise.reject(error as Error));
    noteRefusedHandshake(server, "initialize");
    return session;
  }
}

function beginBy(handshake: McpHandshake, discoverTime: number): Begin {
  return { handshake, discoverTime, isInitialized: false };
}
