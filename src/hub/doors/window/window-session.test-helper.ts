// A window's session from the point of view of its conversation and its sockets.
import { onTestFinished } from "vitest";
import { createMemoryLinks } from "../../../link/index.ts";
import type { Link } from "../../../link/index.ts";
import { createCallPolicy } from "../../../policy/index.ts";
import { createFakeClock } from "../../../testing/index.ts";
import { PagewireError, closeNameOf, defaultLimits, splitBatch } from "../../../wire/index.ts";
import type { Json, Limits } from "../../../wire/index.ts";
import type { Tracing } from "../../tracing/create-tracing.ts";
import type { ParentCall } from "./call-rules.ts";
import { WindowSession } from "./window-session.ts";
import type { CameCall } from "./window.test-helper.ts";

const tool = { name: "work", inputSchema: { type: "object" } } as const;
export const offer = { origin: "https://shop.example", tools: [tool], otherTabs: false, yields: false };

interface Socket {
  readonly link: Link;
  readonly came: CameCall[];
  /** The received messages, each of which may contain several calls. */
  readonly messages: string[];
  readonly closed: (string | undefined)[];
}

/** A session with a stopped clock, and sockets that open at once. */
export function startSession(limits: Partial<Limits> = {}, tracing?: Tracing) {
  const clock = createFakeClock();
  const counted = { refused: 0, unknown: 0, stray: 0, left: 0 };
  let isRefused = false;
  const session = new WindowSession({
    offer,
    principal: "local",
    audit: { call: () => {} },
    policy: createCallPolicy(clock.now),
    pins: { withheld: () => new Set() },
    clock,
    limits: { ...defaultLimits, ...limits },
    metrics: {
      refused: () => void counted.refused++,
      unknownFrame: () => void counted.unknown++,
      strayAnswer: () => void counted.stray++,
    },
    refusalOf: () => (isRefused ? new PagewireError("origin-not-allowed", "Not allowed.") : undefined),
    tracing,
    onLeft: () => void counted.left++,
  });
  onTestFinished(() => session.close());
  const connect = (): Socket => {
    const [link, peer] = createMemoryLinks();
    const socket: Socket = { link: peer, came: [], messages: [], closed: [] };
    peer.start({
      message(message) {
        socket.messages.push(String(message));
        for (const text of splitBatch(String(message))) socket.came.push(JSON.parse(text) as CameCall);
      },
      closed: ({ code }) => void socket.closed.push(closeNameOf(code)),
    });
    session.attach(link);
    return socket;
  };
  const call = (more: Partial<ParentCall> = {}) => {
    const { signal } = new AbortController();
    const outcome: { value?: Json; code?: string; message?: string } = {};
    session
      .call({
        name: "work",
        origin: offer.origin,
        arguments: { n: 1 },
        callId: "c0",
        decidedBy: "user",
        signal,
        ...more,
      })
      .then(
        (value) => (outcome.value = value),
        (error: { code: string; message: string }) =>
          Object.assign(outcome, { code: error.code, message: error.message }),
      );
    return outcome;
  };
  const refuse = () => void (isRefused = true);
  return { clock, session, counted, connect, call, refuse, settled: () => clock.advance(0) };
}

/** Answers a call from the hub. */
export const respond = ({ link }: Socket, id: string | undefined, response: unknown) =>
  link.send(JSON.stringify({ type: "tool_response", request_id: id, response }));
