// One run: executes the plan of a seed for a given time, and checks the result.
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { runCaller, sendAgain } from "./calls/caller.ts";
import type { CallerOptions } from "./calls/caller.ts";
import { createHttpDoor } from "./calls/http-door.ts";
import { createSessionDoor } from "./calls/session-door.ts";
import { createStatelessDoor } from "./calls/stateless-door.ts";
import { check } from "./check/check.ts";
import type { Violation } from "./check/check.ts";
import { doors } from "./history.ts";
import type { Call, Fault, FaultPlace, History, Run } from "./history.ts";
import { planCalls, planHubFaults, planNetworkFaults, planTabFaults } from "./plan.ts";
import type { PlannedFault } from "./plan.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";
import { openChaosDatabase } from "./world/chaos-database.ts";
import type { DatabaseKind } from "./world/chaos-database.ts";
import { createChaosWorld } from "./world/chaos-world.ts";
import type { ChaosWorld } from "./world/chaos-world.ts";
import { breakNetwork } from "./world/network.ts";

export interface ChaosOptions {
  readonly seed: string;
  readonly minutes: number;
  readonly database: DatabaseKind;
  /** Ends the run early; the history up to then is still checked. */
  readonly signal?: AbortSignal;
}

export interface ChaosResult {
  readonly history: History;
  readonly violations: readonly Violation[];
}

/** As many as a small team's agents. */
const callerCount = 13;

export async function runChaos({ seed, minutes, database: kind, signal }: ChaosOptions): Promise<ChaosResult> {
  const [calls, runs, faults]: [Call[], Run[], Fault[]] = [[], [], []];
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const database = await openChaosDatabase(kind);
    closing.push(database.close);
    const hub = { args: ["--no-model", ...database.hubArgs] };
    const world = await createChaosWorld({ hub, onRun: (run) => runs.push(run) });
    closing.push(world.close);
    const random = createRandom(seed);
    const over = AbortSignal.timeout(minutes * 60_000);
    const ending = signal ? AbortSignal.any([signal, over]) : over;
    // Every pending wait listens to it.
    setMaxListeners(0, ending);
    const callers = makeCallers(world, {
      random,
      ending,
      begun: (call) => calls.push(call),
      count: callerCount,
      plan: planCalls,
    });
    const breaking = breakThings(world, { random, ending, faults });
    const calling = Promise.all(callers.map(runCaller));
    await breaking;
    await heal(world);
    await calling;
    const leftBroken = await world.problems();
    if (leftBroken.length === 0) await askOnceMore(calls, callers);
    const history = { calls, runs, faults, leftBroken };
    return { history, violations: check(history) };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

interface Driving {
  readonly random: Random;
  readonly ending: AbortSignal;
}

interface Calling extends Driving, Pick<CallerOptions, "begun"> {
  readonly count: number;
  readonly plan: typeof planCalls;
}

export function makeCallers(
  { url, token, tabs }: ChaosWorld,
  { random, ending, begun, count, plan }: Calling,
): readonly CallerOptions[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `caller-${index + 1}`;
    const options = { url, token, name };
    return {
      name,
      ending,
      begun,
      doors: {
        http: createHttpDoor(options),
        "mcp-2025-11-25": createSessionDoor(options),
        "mcp-2026-07-28": createStatelessDoor(options),
      },
      plan: plan(random.fork(name), name),
      tabId: (number) => tabs[number]?.tabId,
    };
  });
}

/** Executes all lanes of faults side by side; resolves when the last of them has ended. */
async function breakThings(
  world: ChaosWorld,
  { random, ending, faults }: Driving & { faults: Fault[] },
): Promise<void> {
  const { hub, tabs, networks } = world;

  async function carryOut<Kind extends string>(
    plan: Iterator<PlannedFault<Kind>, never>,
    act: (fault: PlannedFault<Kind>) => Promise<void>,
    place: (fault: PlannedFault<Kind>) => { readonly place: FaultPlace; readonly what: string },
  ): Promise<void> {
    while (!ending.aborted) {
      const { value: planned } = plan.next();
      await pause(planned.pause, undefined, { signal: ending }).catch(() => {});
      if (ending.aborted) return;
      const fault: { -readonly [Name in keyof Fault]: Fault[Name] } = { ...place(planned), from: Date.now() };
      faults.push(fault);
      await act(planned);
      fault.to = Date.now();
    }
  }

  const halves = [tabs.slice(0, tabs.length / 2), tabs.slice(tabs.length / 2)];
  const tabLanes = halves.map((half, index) => {
    const chosen = ({ which }: PlannedFault) => half[Math.floor(which * half.length)] ?? half[0];
    return carryOut(
      planTabFaults(random.fork(`tabs-${index}`)),
      async (fault) => chosen(fault)?.suffer(fault),
      (fault) => ({ place: "tab", what: `${fault.kind} of ${chosen(fault)?.tabId}` }),
    );
  });
  await Promise.all([
    ...tabLanes,
    carryOut(planHubFaults(random.fork("hub")), hub.suffer, ({ kind }) => ({ place: "hub", what: kind })),
    carryOut(
      planNetworkFaults(random.fork("network")),
      (fault) => breakNetwork(networks, fault),
      ({ kind }) => ({ place: kind.startsWith("callers") ? "callers" : "pages", what: kind }),
    ),
  ]);
}

export async function heal({ tabs, networks: { pages, callers } }: ChaosWorld): Promise<void> {
  for (const proxy of [...pages, callers]) proxy.resume();
  await Promise.all(tabs.map((tab) => tab.heal()));
}

/** Older outcomes may soon be evicted. */
const stillKept = 7 * 60_000;

/** Sends each used key once more, through any door, after all faults. */
export async function askOnceMore(calls: readonly Call[], callers: readonly CallerOptions[]): Promise<void> {
  const oldest = Date.now() - stillKept;
  const keyed = calls.filter(({ key, attempts: [first] }) => key !== undefined && first && first.sentAt > oldest);
  await Promise.all(
    callers.map(async (caller, index) => {
      for (let at = index; at < keyed.length; at += callers.length) {
        const [call, door] = [keyed[at], doors[at % doors.length]];
        if (call && door) await sendAgain(call, door, caller);
      }
    }),
  );
}
