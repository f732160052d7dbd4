// Hubs of one process over a bus in memory, with one clock that a test advances, and pages that it plays by hand.
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Policy } from "../../policy/index.ts";
import {
  createPolicyGate,
  createReturns,
  createSwitchboard,
  otherOffers,
  overviewOf,
} from "../../switchboard/index.ts";
import type { Clock } from "../../link/index.ts";
import type { AgentSession, CallRequest } from "../../switchboard/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { FakeClock } from "../../testing/index.ts";
import { defaultLimits, parseFrame, textOf, toPage } from "../../wire/index.ts";
import type {
  CloseReason,
  FrameFromPage,
  FrameToPage,
  Limits,
  Message,
  Outcome,
  TokenBudgets,
} from "../../wire/index.ts";
import { encodeFrame } from "../../wire/index.ts";
import { keepPolicy } from "../reload/keep-policy.ts";
import { Cluster } from "./cluster.ts";
import { HubsUse } from "./hubs-use.ts";
import { createMemoryBroker } from "./memory-bus.test-helper.ts";
import type { MemoryBroker, MemoryBus } from "./memory-bus.test-helper.ts";
import { createSharedCalls } from "./shared-calls.ts";
import { gateWithin, returnsWithin, unreachable } from "./unreachable.ts";

export interface MemoryHub {
  readonly bus: MemoryBus;
  readonly cluster: Cluster;
  readonly events: readonly string[];
  readonly use: HubsUse;
  agent(allowed?: TokenBudgets): AgentSession;
  page(tabId?: string, options?: MemoryPageOptions): MemoryPage;
  /** When a tab was connected, by this hub's clock. */
  since(tabId: string): number;
}

export interface MemoryPageOptions {
  readonly running?: readonly string[];
  readonly focused?: boolean;
  /** Called with each frame and its payload. */
  readonly onFrame?: (frame: FrameToPage, payload: string) => void;
}

export interface MemoryPage {
  readonly frames: readonly FrameToPage[];
  readonly calls: readonly Extract<FrameToPage, { type: "call" }>[];
  readonly closings: readonly CloseReason[];
  say(frame: FrameFromPage, payload?: string): void;
  /** Its socket ended. */
  lose(): void;
}

export interface MemoryHubs {
  readonly clock: FakeClock;
  readonly broker: MemoryBroker;
  /** Its clock may be ahead. */
  hub(name: string, ahead?: number): MemoryHub;
}

export const plain = '{"content":[]}';
const offer = JSON.stringify({ tools: [{ name: "work", inputSchema: { type: "object" } }] });

export function createMemoryHubs(given: Partial<Limits> = {}, policyOfAll?: Policy): MemoryHubs {
  const time = createFakeClock();
  const broker = createMemoryBroker();
  const limits = { ...defaultLimits, twinPause: 0, ...given };

  function hub(name: string, ahead = 0): MemoryHub {
    const clock: Clock = { now: () => time.now() + ahead, after: time.after };
    const bus = broker.connect();
    const events: string[] = [];
    const isoTime = (at: number) => new Date(at).toISOString();
    const none = createReturns({ clock, limits, earlierEnd: -Infinity, keysAreKnown: true });
    const returns = returnsWithin(none, () => (cluster.isWhole ? undefined : unreachable));
    const use = new HubsUse({ clock, limits });
    const read = () => policyOfAll;
    const kept = keepPolicy({ first: policyOfAll, read, now: clock.now, note: () => {}, record: () => {}, use });
    const policy = kept.calls;
    const gate = gateWithin(createPolicyGate({ policy, clock, limits }), (at, principal) =>
      cluster.refusal(at, principal),
    );
    const own = createSwitchboard({
      ...{ clock, newId: randomUUID, isoTime, limits, others: otherOffers, overviewOf, returns, gate },
      share: createSharedCalls(use, clock.now),
    });
    const cluster: Cluster = new Cluster({
      ...{ bus, clock, limits, name: "test", switchboard: own, use },
      onOver: (budget) => void events.push(budget),
      about: () => ({ name }),
      note: (_, event) => void events.push(event),
      accept: (socket) => void socket.destroy(),
      clientOf: () => "",
      isOwn: () => false,
    });
    const switchboard = cluster.around(own);
    cluster.start();
    onTestFinished(() => cluster.close());
    return {
      ...{ bus, cluster, events, use },
      agent: (allowed) => switchboard.agent({ principal: "ann", identity: randomUUID(), name, door: "test", allowed }),
      since: (tabId) => Date.parse(switchboard.overview("ann")?.connectionOf(tabId)?.since ?? ""),
      page(tabId = "tab", { running = [], focused = false, onFrame } = {}) {
        const frames: FrameToPage[] = [];
        const closings: CloseReason[] = [];
        const take = (message: Message) => {
          const parsed = parseFrame(toPage, message, limits);
          if (parsed.kind !== "frame") throw new Error(`no frame: ${textOf(message)}`);
          frames.push(parsed.frame);
          onFrame?.(parsed.frame, textOf(parsed.payload));
        };
        const identity = { tabId, principal: "ann", origin: "https://shop.example", app: "shop" };
        const delivery = {
          send: (frame: FrameToPage, payload: Message = "") => take(encodeFrame(frame, payload)),
          close(reason: CloseReason) {
            closings.push(reason);
            session.lost("cut");
          },
        };
        const session = cluster.attach(
          identity,
          { title: "", epochs: ["e"], running, focused },
          { delivery, link: { send: take } },
        );
        const say = (frame: FrameFromPage, payload = "") =>
          session.receive(frame, payload, encodeFrame(frame, payload));
        say({ type: "offer" }, offer);
        return {
          ...{ frames, closings, say },
          get calls() {
            return frames.flatMap((frame) => (frame.type === "call" ? frame : []));
          },
          lose: () => session.lost("cut"),
        };
      },
    };
  }

  return { clock: time, broker, hub };
}

export interface TrackedCall {
  readonly outcome: Outcome | undefined;
  cancel(): void;
}

/** Makes a call, and keeps its outcome once it has one. */
export function track(agent: AgentSession, request: Partial<CallRequest> = {}): TrackedCall {
  let outcome: Outcome | undefined;
  const handle = agent.call(
    { method: "tools/call", name: "work", arguments: "{}", ...request },
    {
      ended(end) {
        if (outcome) throw new Error("A call ended twice.");
        outcome = end;
      },
    },
  );
  return {
    get outcome() {
      return outcome;
    },
    cancel: () => handle.cancel(),
  };
}

/** Two hubs: a tab at B, its agent at A, and a call that runs. */
export async function runningCall() {
  const second = 1000;
  const hubs = createMemoryHubs();
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  await hubs.clock.advance(second);
  const page = b.page();
  const agent = a.agent();
  await hubs.clock.advance(second);
  const call = track(agent);
  await hubs.clock.advance(10);
  const id = page.calls[0]?.id ?? "";
  page.say({ type: "ack", id });
  await hubs.clock.advance(10);
  return { ...hubs, a, b, page, agent, call, id };
}
