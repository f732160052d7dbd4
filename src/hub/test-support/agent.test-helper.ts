// An agent's program from the hub's point of view: it says hello and makes calls.
import { toAgent } from "../../wire/index.ts";
import type { FrameToAgent } from "../../wire/index.ts";
import { openSocket, playPeer } from "./peer.test-helper.ts";
import type { Peer, Received } from "./peer.test-helper.ts";

/** A call's outcome for its caller. */
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
  /** Calls a tool and resolves with the outcome. */
  call(name: string, call: TestCall): Promise<CallEnd>;
}

export interface TestAgentOptions {
  /** Fields of the hello. */
  readonly token?: string;
  /** The Authorization header of the upgrade. */
  readonly headerToken?: string;
  readonly name?: string;
  readonly session?: string;
  readonly asks?: readonly string[];
  /** The certificate that the hub must have. */
  readonly ca?: string;
}

/** Opens an agent's socket without a hello. */
export async function openAgent(url: string, { headerToken, ca }: TestAgentOptions = {}): Promise<TestAgent> {
  const headers = headerToken === undefined ? {} : { Authorization: `Bearer ${headerToken}` };
  const ends = new Map<string, (end: CallEnd) => void>();
  const peer = playPeer(toAgent, {
    ...(await openSocket(`${url}/agent`, { headers, ...(ca !== undefined && { ca }) })),
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
