// An agent's program as the hub sees one: it says hello and calls.
import { toAgent } from "../../wire/index.ts";
import type { FrameToAgent } from "../../wire/index.ts";
import { openSocket, playPeer } from "./peer.test-helper.ts";
import type { Peer, Received } from "./peer.test-helper.ts";

/** How a call ended for the one who made it. */
export type CallEnd = Received<Extract<FrameToAgent, { readonly type: "result" | "failure" }>>;

export interface TestCall {
  readonly id: string;
  readonly arguments?: string;
  readonly tab?: string;
  readonly key?: string;
  readonly left?: number;
  readonly trace?: unknown;
}

export interface TestAgent extends Peer<typeof toAgent> {
  /** Calls a tool and resolves with its end. */
  call(name: string, call: TestCall): Promise<CallEnd>;
}

export interface TestAgentOptions {
  /** Sent in the hello. */
  readonly token?: string;
  /** Sent in the upgrade's Authorization header. */
  readonly headerToken?: string;
  readonly name?: string;
  readonly session?: string;
  readonly asks?: readonly string[];
}

/** Opens an agent's socket, and says nothing yet. */
export async function openAgent(url: string, { headerToken }: TestAgentOptions = {}): Promise<TestAgent> {
  const headers = headerToken === undefined ? {} : { Authorization: `Bearer ${headerToken}` };
  const ends = new Map<string, (end: CallEnd) => void>();
  const peer = playPeer(toAgent, {
    ...(await openSocket(`${url}/agent`, { headers })),
    onFrame({ frame, payload }) {
      if (frame.type !== "result" && frame.type !== "failure") return;
      ends.get(frame.id)?.({ frame, payload });
      ends.delete(frame.id);
    },
  });

  return {
    ...peer,
    call(name, { id, arguments: given = "{}", ...aim }) {
      const end = new Promise<CallEnd>((resolve, reject) => {
        ends.set(id, resolve);
        void peer.closed.then((reason) => reject(new Error(`The hub closed: ${JSON.stringify(reason)}`)));
      });
      peer.send({ type: "call", id, method: "tools/call", name, ...aim }, given);
      return end;
    },
  };
}

/** Connects an agent and resolves when it is welcome. */
export async function connectAgent(url: string, options: TestAgentOptions): Promise<TestAgent> {
  const agent = await openAgent(url, options);
  agent.send(agentHelloOf(options));
  await agent.next("welcome");
  return agent;
}

/** The hello of an agent. */
export function agentHelloOf({ token, name = "tester", session, asks }: TestAgentOptions = {}) {
  return {
    type: "hello",
    versions: [1],
    agent: { name, version: "1" },
    ...(token === undefined ? {} : { token }),
    ...(session === undefined ? {} : { session }),
    ...(asks === undefined ? {} : { asks }),
  };
}
