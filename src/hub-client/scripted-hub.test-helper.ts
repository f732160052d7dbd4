// A hub under the test's control, over links in memory, with a fake clock.
import { createMemoryLinks } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { createFakeClock } from "../testing/index.ts";
import type { FakeClock } from "../testing/index.ts";
import { PagewireError, defaultLimits, encodeFrame, fromAgent, parseFrame, textOf } from "../wire/index.ts";
import type { CloseReason, FrameFromAgent, FrameToAgent, Message } from "../wire/index.ts";
import { createHubClient } from "./connect-hub.ts";
import type { HubClient, HubClientOptions } from "./hub-client.ts";

type Frame<Type extends FrameFromAgent["type"]> = Extract<FrameFromAgent, { type: Type }>;

/** A frame of the client's, with its payload. */
export type HeardFrame<Type extends FrameFromAgent["type"]> = Frame<Type> & { readonly payload: string };

/** The hub's end of one link. */
export interface HubEnd {
  heard<Type extends FrameFromAgent["type"]>(type: Type): readonly HeardFrame<Type>[];
  /** Sends a frame, and waits until it was handled. */
  say(frame: FrameToAgent, payload?: string): Promise<void>;
  sayRaw(message: Message): Promise<void>;
  close(reason?: CloseReason): Promise<void>;
  /** How the link ended. */
  readonly closing: CloseReason | undefined;
}

export interface ScriptedHub {
  readonly clock: FakeClock;
  /** The hub's ends of all links, in order of creation. */
  readonly ends: readonly HubEnd[];
  /** The end of the newest link. */
  readonly end: HubEnd;
  /** While set, all connection attempts fail. */
  isDown: boolean;
  /** Starts a client, and welcomes it. */
  connect(options?: Partial<HubClientOptions>): Promise<HubClient>;
  /** Starts a client without a welcome; the test awaits the result. */
  begin(options?: Partial<HubClientOptions>): Promise<HubClient>;
  /** Advances past the client's wait, and welcomes it again. */
  takeBack(): Promise<void>;
}

export const welcome = { type: "welcome", version: 1, agent: "a1", heartbeat: 15_000 } as const;

export function createScriptedHub(): ScriptedHub {
  const clock = createFakeClock();
  const ends: HubEnd[] = [];

  const hub: ScriptedHub = {
    clock,
    ends,
    get end() {
      const last = ends.at(-1);
      if (last === undefined) throw new Error("No link was made yet.");
      return last;
    },
    isDown: false,
    async begin(options = {}) {
      const openLink = async (): Promise<Link> => {
        if (hub.isDown) throw new PagewireError("hub-unreachable", "unused", { cause: new Error("ECONNREFUSED") });
        const [near, far] = createMemoryLinks();
        ends.push(createHubEnd(far, clock));
        return near;
      };
      const agent = { name: "tester", version: "1.0" };
      return createHubClient({ url: "http://hub.test", openLink, agent, clock, random: () => 1, ...options });
    },
    async connect(options) {
      const client = hub.begin(options);
      await clock.advance(0);
      await hub.end.say(welcome);
      return client;
    },
    async takeBack() {
      const { length } = ends;
      for (let waited = 0; ends.length === length; waited += 100) {
        if (waited > 30_000) throw new Error("The client did not come back.");
        await clock.advance(100);
      }
      await hub.end.say(welcome);
    },
  };
  return hub;
}

function createHubEnd(link: Link, clock: FakeClock): HubEnd {
  const frames: (FrameFromAgent & { readonly payload: string })[] = [];
  let closing: CloseReason | undefined;
  link.start({
    message(message) {
      const parsed = parseFrame(fromAgent, message, defaultLimits);
      if (parsed.kind !== "frame") throw new Error(`The client sent what is no frame: ${textOf(message)}`);
      frames.push({ ...parsed.frame, payload: textOf(parsed.payload) });
    },
    closed(reason) {
      closing = reason;
    },
  });
  return {
    heard: (type) => frames.filter((frame) => frame.type === type) as never,
    say(frame, payload) {
      link.send(encodeFrame(frame, payload));
      return clock.advance(0);
    },
    sayRaw(message) {
      link.send(message);
      return clock.advance(0);
    },
    close(reason) {
      link.close(reason);
      return clock.advance(0);
    },
    get closing() {
      return closing;
    },
  };
}

export async function failureOf(promise: Promise<unknown>): Promise<PagewireError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (PagewireError.isInstance(error)) return error;
  throw new Error("This should have failed with an error of Pagewire.");
}
