// A simulated browser tab: its document's script, its link to the hub, and all that a browser and its user do to it.
import { parseFrame, textOf, toPage } from "../wire/index.ts";
import type { FrameFromPage, FrameToPage, Message } from "../wire/index.ts";
import { offerWith, tool } from "./board.test-helper.ts";
import type { SimulatedLink } from "./model-network.test-helper.ts";
import { createRunner } from "./model-runner.test-helper.ts";
import type { Memory } from "./model-runner.test-helper.ts";
import type { TabProfile, World } from "./model-world.test-helper.ts";

export interface SimulatedTab {
  /** What happens to it; what makes no sense in its state does nothing. */
  readonly deeds: Readonly<Record<TabDeed, () => void>>;
  readonly tabId: () => string;
  /** A hostile page answers a call that was never given to it. */
  forge(callId: string): void;
}

export const tabDeeds = [
  "open",
  "close",
  "crash",
  "kill",
  "reload",
  "freeze",
  "cache",
  "wake",
  "cut",
  "focus",
  "change offer",
] as const;
export type TabDeed = (typeof tabDeeds)[number];

/** What a forged word says. */
export const forgery = "forged";

const tools = [tool("act"), tool("look", { annotations: { readOnlyHint: true } })];

export function createSimulatedTab(world: World, profile: TabProfile & { readonly name: string }): SimulatedTab {
  let visits = 0;
  let crashes = 0;
  let saved: Memory = new Map();
  let script: Script | undefined;

  const tabId = () => `${profile.principal}.${profile.name}.${visits}`;
  const start = () => {
    script ??= createScript(world, { profile, tabId: tabId(), memory: structuredClone(saved), memoryName: `${tabId()}#${crashes}` });
  };
  const stop = () => {
    script?.stop();
    script = undefined;
  };
  const save = () => {
    if (script) saved = structuredClone(script.memory);
  };
  const pause = (reason: "frozen" | "back-forward-cache") => {
    if (!script || script.isPaused()) return;
    save();
    script.say({ type: "suspended", reason });
    script.pause();
  };

  return {
    tabId,
    deeds: {
      open: start,
      close() {
        if (script && !script.isPaused()) script.say({ type: "bye" });
        stop();
        saved = new Map();
        visits++;
      },
      crash() {
        stop();
        crashes++;
      },
      kill() {
        script?.cut();
        stop();
        crashes++;
      },
      reload() {
        if (!script || script.isPaused()) return;
        save();
        script.say({ type: "bye" });
        stop();
        const visit = visits;
        world.clock.after(20 + world.random(800), () => visit === visits && start());
      },
      freeze: () => pause("frozen"),
      cache() {
        pause("back-forward-cache");
        if (world.random(2) === 0) script?.cut();
      },
      wake: () => script?.isPaused() && script.resume(),
      cut: () => script?.cut(),
      focus: () => script && !script.isPaused() && script.say({ type: "tab", focused: true }),
      "change offer": () => script?.changeOffer(),
    },
    forge(callId) {
      if (!script || script.isPaused()) return;
      script.say({ type: "ack", id: callId });
      script.say({ type: "progress", id: callId, progress: 1, message: forgery });
      script.say({ type: "log", id: callId, level: "info" }, JSON.stringify(forgery));
      script.say({ type: "result", id: callId }, JSON.stringify(forgery));
    },
  };
}

interface Script {
  readonly memory: Memory;
  say(frame: FrameFromPage, payload?: string): void;
  isPaused(): boolean;
  pause(): void;
  resume(): void;
  cut(): void;
  changeOffer(): void;
  /** No script runs any more; its link ends. */
  stop(): void;
}

interface ScriptOptions {
  readonly profile: TabProfile;
  readonly tabId: string;
  readonly memory: Memory;
  readonly memoryName: string;
}

function createScript(world: World, { profile, tabId, memory, memoryName }: ScriptOptions): Script {
  const { clock, random, history } = world;
  let link: SimulatedLink | undefined;
  let hub = 0;
  let state: "running" | "paused" | "stopped" = "running";
  let waiting: (() => void)[] = [];
  let resumedAt = 0;
  let hasMore = false;
  let isWelcome = false;

  /** Runs as soon as script runs. */
  const perform = (work: () => void) => {
    if (state === "running") work();
    else if (state === "paused") waiting.push(work);
  };
  const later = (milliseconds: number, work: () => void) => void clock.after(milliseconds, () => perform(work));
  const say = (frame: FrameFromPage, payload?: string) => {
    if (isWelcome) link?.page.send(frame, payload);
  };
  const runner = createRunner({
    world,
    memory,
    say,
    later,
    resumedAt: () => resumedAt,
    place: () => ({ tabId, principal: profile.principal, memory: memoryName, hub }),
  });

  function connect(): void {
    const connected = world.connect(profile);
    if (!connected) return later(300, connect);
    ({ link, hub } = connected);
    const { page } = link;
    page.start({
      message: (message) => perform(() => page === link?.page && take(message)),
      closed: () =>
        perform(() => {
          if (page !== link?.page) return;
          link = undefined;
          isWelcome = false;
          later(50 + random(1500), connect);
        }),
    });
    page.send({ type: "hello", ...{ versions: [1], tab: tabId, app: profile.app, title: tabId, focused: false, running: runner.running() } });
  }

  function take(message: Message): void {
    const parsed = parseFrame(toPage, message, history.limits);
    if (parsed.kind === "frame") return obey(parsed.frame, textOf(parsed.payload));
    history.leaks.push(`The hub sent what is no frame: ${textOf(message)}`);
  }

  function obey(frame: FrameToPage, payload: string): void {
    if (frame.type === "welcome") {
      isWelcome = true;
      offer();
    } else if (frame.type === "call") runner.call(frame, payload);
    else if (frame.type === "cancel") runner.cancel(frame.id);
    else if (frame.type === "answer") runner.answer(frame.id, payload);
    else if (frame.type === "heartbeat") say(frame);
  }

  function offer(): void {
    say({ type: "offer" }, JSON.stringify(offerWith(...tools, ...(hasMore ? [tool("extra")] : []))));
  }

  connect();
  return {
    memory,
    say,
    isPaused: () => state === "paused",
    pause() {
      state = "paused";
    },
    resume() {
      state = "running";
      resumedAt = clock.now();
      say({ type: "resumed" });
      const works = waiting;
      waiting = [];
      for (const work of works) perform(work);
    },
    cut: () => link?.cut(),
    changeOffer() {
      if (state !== "running") return;
      hasMore = !hasMore;
      const change = hasMore ? { add: { tools: [tool("extra")] }, remove: {} } : { add: {}, remove: { tools: ["extra"] } };
      say({ type: "offer-change" }, JSON.stringify(change));
    },
    stop() {
      state = "stopped";
      link?.page.close(1001);
    },
  };
}
