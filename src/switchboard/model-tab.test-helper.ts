// A simulated browser tab: its document's script, its link to the hub, and the actions of the browser and its user.
import { epochsMost, parseFrame, textOf, toPage } from "../wire/index.ts";
import type { FrameFromPage, FrameToPage, Message } from "../wire/index.ts";
import { offerWith, tool } from "./board.test-helper.ts";
import type { SimulatedLink } from "./model-network.test-helper.ts";
import { createRunner } from "./model-runner.test-helper.ts";
import type { Memory } from "./model-runner.test-helper.ts";
import type { TabProfile, World } from "./model-world.test-helper.ts";

export interface SimulatedTab {
  /** Actions on the tab; one that does not apply to its state does nothing. */
  readonly deeds: Readonly<Record<TabDeed, () => void>>;
  readonly principal: string;
  readonly state: () => "running" | "paused" | "closed";
  readonly tabId: () => string;
  /** Performs the action the next time the page or the hub sends this frame. */
  ambush(frame: string, deed: TabDeed): void;
  /** Closes it for good. */
  end(): void;
  /** A hostile page answers a call that it never received. */
  forge(callId: string): void;
}

export type TabDeed =
  | "open"
  | "close"
  | "crash"
  | "kill"
  | "reload"
  | "freeze"
  | "cache"
  | "wake"
  | "cut"
  | "focus"
  | "change offer";

/** The text of forged frames. */
export const forgery = "forged";

const tools = [tool("act"), tool("look", { annotations: { readOnlyHint: true } })];

export function createSimulatedTab(world: World, profile: TabProfile & { readonly name: string }): SimulatedTab {
  let visits = 0;
  let crashes = 0;
  let epochs = 0;
  const withNext = (earlier: readonly string[]) => [...earlier, `epoch-${++epochs}`].slice(-epochsMost);
  let saved: Memory = { calls: new Map(), epochs: [] };
  let script: Script | undefined;
  const ambushes: { readonly frame: string; readonly deed: TabDeed }[] = [];

  const tabId = () => `${profile.principal}.${profile.name}.${visits}`;
  const start = () => {
    script ??= createScript(world, {
      profile,
      tabId: tabId(),
      memory: { calls: structuredClone(saved.calls), epochs: withNext(saved.epochs) },
      crashes,
      onSend,
    });
  };
  const stop = () => {
    script?.stop();
    script = undefined;
  };
  /** A save has the whole of an epoch, and ends it. */
  const save = () => {
    if (!script) return;
    const { memory } = script;
    saved = structuredClone(memory);
    memory.epochs = withNext(memory.epochs);
  };
  const pause = (reason: "frozen" | "back-forward-cache") => {
    if (!script || script.isPaused()) return;
    save();
    script.say({ type: "suspended", reason });
    script.pause();
  };

  const onSend = (type: string) => {
    const [next] = ambushes;
    if (next?.frame !== type) return;
    ambushes.shift();
    world.clock.after(0, deeds[next.deed]);
  };
  const deeds: Readonly<Record<TabDeed, () => void>> = {
    open: start,
    close() {
      // A page that signs out sends a final bye; a closed tab cannot.
      if (script && !script.isPaused()) script.say({ type: "bye", final: world.random(2) === 0 });
      stop();
      saved = { calls: new Map(), epochs: [] };
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
      if (world.random(2) === 0) script.slow();
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
  };

  return {
    principal: profile.principal,
    state: () => (script === undefined ? "closed" : script.isPaused() ? "paused" : "running"),
    tabId,
    deeds,
    ambush: (frame, deed) => void ambushes.push({ frame, deed }),
    end() {
      ambushes.length = 0;
      deeds.close();
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
  slow(): void;
  changeOffer(): void;
  /** No script runs any more; its link ends. */
  stop(): void;
}

interface ScriptOptions {
  readonly profile: TabProfile;
  readonly tabId: string;
  readonly memory: Memory;
  readonly crashes: number;
  readonly onSend: (type: string) => void;
}

function createScript(world: World, { profile, tabId, memory, crashes, onSend }: ScriptOptions): Script {
  const { clock, random, history } = world;
  let link: SimulatedLink | undefined;
  let hub = 0;
  let state: "running" | "paused" | "stopped" = "running";
  let waiting: (() => void)[] = [];
  let hasMore = false;
  let isWelcome = false;
  let told = memory.epochs;

  /** Runs as soon as scripts run. */
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
    place: () => ({ tabId, principal: profile.principal, crashes, hub }),
  });

  function connect(): void {
    const connected = world.connect(profile, onSend);
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
          later(50 + random(600), connect);
        }),
    });
    page.send({
      type: "hello",
      ...{ versions: [1], tab: tabId, app: profile.app, title: tabId, focused: false, running: runner.running() },
      ...{ epochs: memory.epochs },
    });
    told = memory.epochs;
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
      tellEpochs();
    } else if (frame.type === "call") runner.call(frame, payload);
    else if (frame.type === "cancel") runner.cancel(frame.id);
    else if (frame.type === "answer") runner.answer(frame.id, payload);
    else if (frame.type === "heartbeat") say(frame);
  }

  function tellEpochs(): void {
    if (!isWelcome || told === memory.epochs) return;
    told = memory.epochs;
    say({ type: "tab", epochs: told });
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
      tellEpochs();
      say({ type: "resumed" });
      const works = waiting;
      waiting = [];
      for (const work of works) perform(work);
    },
    cut: () => link?.cut(),
    slow: () => link?.slow(),
    changeOffer() {
      if (state !== "running") return;
      hasMore = !hasMore;
      const change = hasMore
        ? { add: { tools: [tool("extra")] }, remove: {} }
        : { add: {}, remove: { tools: ["extra"] } };
      say({ type: "offer-change" }, JSON.stringify(change));
    },
    stop() {
      state = "stopped";
      link?.page.close(1001);
    },
  };
}
