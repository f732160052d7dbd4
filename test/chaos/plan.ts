// The plan of a seed: the calls of each caller, and the faults in their order. Pure: the plan of a seed is always the
// same. The machine decides the timing, and so which fault meets which call.
import { doors } from "./history.ts";
import type { Door } from "./history.ts";
import type { Random } from "./random.ts";

/** The apps of the six tabs. */
export const appsOfTabs = ["shop", "shop", "shop", "desk", "desk", "notes"] as const;

export interface PlannedAttempt {
  readonly door: Door;
  /** Milliseconds after the end of the attempt before. */
  readonly wait: number;
  /** How its caller leaves before there is an answer. */
  readonly leave: { readonly how: "hang-up" | "cancel"; readonly after: number } | undefined;
  /** By HTTP a caller may limit the seconds of a call; undefined is the hub's default. */
  readonly seconds: number | undefined;
}

export interface PlannedCall {
  readonly tag: string;
  readonly hasKey: boolean;
  readonly app: string;
  readonly isReadOnly: boolean;
  readonly work: number;
  /** The number of the tab in the call; undefined if the hub chooses. */
  readonly tab: number | undefined;
  readonly attempts: readonly PlannedAttempt[];
  /** Without a key: whether it is retried when its connection breaks, as clients of MCP 2026-07-28 do. */
  readonly isSentAgain: boolean;
  /** Milliseconds before the next call of this caller. */
  readonly pause: number;
}

/** The endless calls of one caller. */
export function* planCalls(random: Random, name: string): Generator<PlannedCall, never> {
  for (let number = 0; ; number++) yield planCall(random.fork(String(number)), { tag: `${name}-${number}`, keys: 0.6 });
}

/** The same with more keys, short waits and no pauses: for runs in which only the hub itself breaks. */
export function* planBusyCalls(random: Random, name: string): Generator<PlannedCall, never> {
  for (let number = 0; ; number++) {
    const { attempts, ...call } = planCall(random.fork(String(number)), { tag: `${name}-${number}`, keys: 0.9 });
    const soon = attempts.map((attempt) => ({ ...attempt, wait: attempt.wait % 300 }));
    yield { ...call, attempts: soon, work: call.work % 300, pause: 0 };
  }
}

function planCall(random: Random, { tag, keys }: { readonly tag: string; readonly keys: number }): PlannedCall {
  const hasKey = random.chance(keys);
  const tab = random.between(0, appsOfTabs.length - 1);
  const work = planWork(random);
  const door = random.pick(doors);
  return {
    tag,
    hasKey,
    app: appsOfTabs[tab] ?? "shop",
    isReadOnly: random.chance(0.25),
    work,
    tab: random.chance(0.4) ? tab : undefined,
    attempts: hasKey ? planKeyed(random, work) : planUnkeyed(random, { door, work }),
    isSentAgain: random.chance(0.5),
    pause: random.chance(0.5) ? 0 : random.between(0, 400),
  };
}

function planWork(random: Random): number {
  const kind = random.weighted({ none: 55, short: 30, long: 15 });
  if (kind === "none") return 0;
  return kind === "short" ? random.between(20, 300) : random.between(500, 3000);
}

/** Through any door, at once or much later, and also after the answer. */
function planKeyed(random: Random, work: number): readonly PlannedAttempt[] {
  const count = Number(random.weighted({ "1": 35, "2": 35, "3": 20, "4": 10 }));
  return Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    const wait = index === 0 ? 0 : planWait(random);
    const leave = planLeave(random, { work, probability: isLast ? 0.1 : 0.45 });
    return { door: random.pick(doors), wait, leave, seconds: planSeconds(random) };
  });
}

function planWait(random: Random): number {
  const kind = random.weighted({ none: 25, short: 40, long: 20, late: 15 });
  if (kind === "none") return 0;
  if (kind === "short") return random.between(20, 1000);
  return kind === "long" ? random.between(1000, 6000) : random.between(12_000, 40_000);
}

/** A caller that hangs up retries soon, so that the hub sees the same call; any other makes one attempt. */
function planUnkeyed(random: Random, { door, work }: { door: Door; work: number }): readonly PlannedAttempt[] {
  const first = { door, wait: 0, leave: planLeave(random, { work, probability: 0.3 }), seconds: planSeconds(random) };
  if (first.leave?.how !== "hang-up" || random.chance(0.25)) return [first];
  return [first, { ...first, wait: random.between(0, 700), leave: undefined }];
}

function planLeave(random: Random, { work, probability }: { work: number; probability: number }) {
  if (!random.chance(probability)) return undefined;
  const how = random.chance(0.2) ? ("cancel" as const) : ("hang-up" as const);
  return { how, after: random.between(0, work + 150) };
}

function planSeconds(random: Random): number | undefined {
  if (random.chance(0.6)) return undefined;
  return random.chance(0.5) ? random.between(50, 2000) / 1000 : random.between(3, 15);
}

/** A fault, its duration, and the pause before it. Some faults hit one of several targets: `which`, from 0 to 1. */
export interface PlannedFault<Kind extends string = string> {
  readonly kind: Kind;
  readonly pause: number;
  readonly time: number;
  readonly which: number;
}

export type HubFault = "kill" | "restart" | "stop";
export type TabFault = "reload" | "reopen" | "crash" | "crash-in-cut" | "freeze" | "cache";
export type NetworkFault =
  | "pages-reset"
  | "pages-deaf"
  | "pages-mute"
  | "pages-stall"
  | "callers-reset"
  | "callers-half-open"
  | "callers-stall";

/** Faults of the hub, of some tabs, or of the network; each is a lane, independent of the others. */
export const planHubFaults = lane<HubFault>({
  weights: { kill: 45, restart: 20, stop: 35 },
  pause: [1500, 8000],
  time: { kill: [0, 1500], restart: [0, 1000], stop: [200, 6000] },
});

export const planTabFaults = lane<TabFault>({
  weights: { reload: 25, reopen: 15, crash: 15, "crash-in-cut": 10, freeze: 15, cache: 20 },
  pause: [300, 3000],
  time: {
    reload: [0, 0],
    reopen: [0, 2500],
    crash: [100, 3000],
    "crash-in-cut": [100, 2000],
    freeze: [300, 5000],
    cache: [300, 5000],
  },
});

export const planNetworkFaults = lane<NetworkFault>({
  weights: {
    "pages-reset": 25,
    "pages-deaf": 15,
    "pages-mute": 15,
    "pages-stall": 15,
    "callers-reset": 15,
    "callers-half-open": 8,
    "callers-stall": 7,
  },
  pause: [800, 5000],
  time: {
    "pages-reset": [0, 0],
    "pages-deaf": [300, 3500],
    "pages-mute": [300, 3500],
    "pages-stall": [1000, 2500],
    "callers-reset": [0, 0],
    "callers-half-open": [500, 3000],
    "callers-stall": [500, 2000],
  },
});

type Span = readonly [least: number, most: number];

interface Lane<Kind extends string> {
  readonly weights: Readonly<Record<Kind, number>>;
  readonly pause: Span;
  readonly time: Readonly<Record<Kind, Span>>;
}

function lane<Kind extends string>({ weights, pause, time }: Lane<Kind>) {
  return function* plan(random: Random): Generator<PlannedFault<Kind>, never> {
    for (;;) {
      const kind = random.weighted(weights);
      const [least, most] = time[kind];
      yield { kind, pause: random.between(...pause), time: random.between(least, most), which: random.next() };
    }
  };
}
