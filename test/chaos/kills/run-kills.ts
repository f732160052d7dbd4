// `kill -9` of the hub at random moments, many times, during calls with keys, conversations and consents. After each kill
// and restart everything that was acknowledged must still be there.
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { runCaller } from "../calls/caller.ts";
import { check } from "../check/check.ts";
import { describeViolations } from "../check/report.ts";
import type { Call, Fault, History, Run } from "../history.ts";
import { planBusyCalls } from "../plan.ts";
import { createRandom } from "../random.ts";
import { askOnceMore, heal, makeCallers } from "../run-chaos.ts";
import { openChaosDatabase } from "../world/chaos-database.ts";
import type { DatabaseKind } from "../world/chaos-database.ts";
import { createChaosWorld } from "../world/chaos-world.ts";
import { decide, missingDecisions } from "./decider.ts";
import { createPromises } from "./promises.ts";
import type { Promises } from "./promises.ts";
import { startScriptedModel } from "./scripted-model.ts";
import { missingTalk, talk } from "./talker.ts";

export interface KillsOptions {
  readonly seed: string;
  readonly kills: number;
  readonly database: DatabaseKind;
  readonly signal?: AbortSignal;
}

export interface KillsResult {
  readonly kills: number;
  readonly calls: number;
  readonly keyedCalls: number;
  readonly acknowledged: Promises["counts"];
  /** A key, or a call that was sent once, with more than one run. */
  readonly doubles: readonly string[];
  /** Acknowledged questions, answers, decisions and outcomes that are missing, and damage to the database. */
  readonly lost: readonly string[];
  /** False answers. */
  readonly lies: readonly string[];
  /** All other violations. */
  readonly others: readonly string[];
}

const talkerCount = 4;
const callerCount = 8;
/** Each user decides about the tools of one app. */
const apps = ["shop", "desk", "notes"] as const;

export async function runKills({ seed, kills, database: kind, signal }: KillsOptions): Promise<KillsResult> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const database = await openChaosDatabase(kind);
    closing.push(database.close);
    const promises = createPromises();
    const model = await startScriptedModel(promises.asked);
    closing.push(model.close);
    const [calls, runs, faults]: [Call[], Run[], Fault[]] = [[], [], []];
    const hub = { args: ["--model", "openai/scripted", ...database.hubArgs], env: model.environment };
    const world = await createChaosWorld({ hub, onRun: (run) => runs.push(run) });
    closing.push(world.close);
    const random = createRandom(seed);
    const stopped = new AbortController();
    const ending = stopped.signal;
    setMaxListeners(0, ending);
    const begun = (call: Call) => calls.push(call);
    const callers = makeCallers(world, { random, ending, begun, count: callerCount, plan: planBusyCalls });
    const { url } = world.hub.process;
    const common = { url, token: world.token, promises };
    const working = [
      ...callers.map(runCaller),
      ...Array.from({ length: talkerCount }, (_, index) => talk({ ...common, name: `talker-${index}`, ending })),
      ...apps.map((app) => {
        const tools = [`${app}_write`, `${app}_pay`, `${app}_send`];
        return decide({ ...common, random: random.fork(`decider-${app}`), tools, ending });
      }),
    ];
    const lost: string[] = [];
    let done = 0;
    for (; done < kills && signal?.aborted !== true; done++) {
      await pause(random.between(100, 1600));
      const fault = { place: "hub", what: `kill ${done + 1}`, from: Date.now() } as const;
      await world.hub.suffer({ kind: "kill", pause: 0, time: 0, which: 0 });
      faults.push({ ...fault, to: Date.now() });
      await Promise.all(world.tabs.map((tab) => tab.reconnect()));
      const missing = [...(await missingTalk(common)), ...(await missingDecisions(common))];
      lost.push(...missing.map((what) => `After kill ${done + 1}: ${what}`));
    }
    stopped.abort();
    await heal(world);
    await Promise.all(working);
    const leftBroken = await world.problems();
    await askOnceMore(calls, callers);
    promises.lookAtAll();
    lost.push(...(await missingTalk(common)), ...(await missingDecisions(common)));
    await world.hub.process.kill();
    lost.push(...(await database.damage(world.hub.process.home)));
    const history = { calls, runs, faults, leftBroken };
    return { ...result(history, lost), kills: done, acknowledged: promises.counts };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

function result(history: History, lost: readonly string[]): Omit<KillsResult, "kills" | "acknowledged"> {
  const violations = check(history);
  const told = (kinds: readonly string[]) =>
    violations.filter(({ kind }) => kinds.includes(kind)).map((violation) => describeViolations([violation], history));
  return {
    calls: history.calls.length,
    keyedCalls: history.calls.filter(({ key }) => key !== undefined).length,
    doubles: told(["ran-twice"]),
    lost: [...lost, ...told(["other-outcome"])],
    lies: told(["said-no", "said-yes", "wrong-result"]),
    others: told(["hangs", "unexpected", "left-broken"]),
  };
}
