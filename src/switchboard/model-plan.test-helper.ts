// An adversary's actions as plain data: the same plan always makes the same history.
import fc from "fast-check";
import type { Errand } from "./model-agents.test-helper.ts";
import type { Chaos } from "./model-network.test-helper.ts";
import type { TabDeed } from "./model-tab.test-helper.ts";

export type Step =
  | { readonly do: "call"; readonly errand: Errand }
  | { readonly do: "repeat"; readonly ago: number; readonly agent: number }
  | { readonly do: "cancel"; readonly ago: number }
  | { readonly do: "cut agent"; readonly agent: number; readonly back: number; readonly notice: number }
  | { readonly do: "tab"; readonly tab: number; readonly deed: TabDeed }
  | { readonly do: "ambush"; readonly tab: number; readonly frame: string; readonly deed: TabDeed }
  | { readonly do: "forge"; readonly tab: number; readonly ago: number }
  | { readonly do: "restart hub"; readonly isKilled: boolean; readonly back: number }
  | { readonly do: "wait"; readonly milliseconds: number };

export interface Plan {
  readonly seed: number;
  readonly chaos: Chaos;
  readonly steps: readonly Step[];
}

const index = fc.nat(11);

/** One of these, as often as each is listed. */
const often = <const Value>(...values: readonly Value[]) => fc.constantFrom(...values);

const behaviour = fc.record({
  time: often(0, 5, 60, 300, 1500, 2500),
  end: often("ok", "ok", "ok", "error", "never"),
  isDeaf: fc.boolean(),
  words: fc.nat(2),
  asks: often(false, false, false, true),
});

const errand = fc.record({
  agent: index,
  tool: fc.nat(3),
  tab: index,
  isAstray: often(false, false, false, false, false, false, false, true),
  aim: often("none", "none", "none", "request", "argument", "call_tab_tool"),
  isKeyed: fc.boolean(),
  left: often(1000, 5000, 8000, 8000, 8000, 50, 0),
  behaviour,
});

const deed: fc.Arbitrary<TabDeed> = often(
  ...(["open", "open", "open", "open", "wake", "wake", "wake", "cut", "cut", "cut", "reload", "reload"] as const),
  ...(["freeze", "freeze", "cache", "close", "crash", "kill", "focus", "change offer"] as const),
);

const steps = {
  call: fc.record({ do: fc.constant("call" as const), errand }),
  repeat: fc.record({ do: fc.constant("repeat" as const), ago: fc.nat(3), agent: index }),
  cancel: fc.record({ do: fc.constant("cancel" as const), ago: fc.nat(3) }),
  cut: fc.record({
    do: fc.constant("cut agent" as const),
    agent: index,
    back: often(0, 500, 1999, 2500, 2500, 9000),
    notice: often(0, 0, 0, 5, 600),
  }),
  tab: fc.record({ do: fc.constant("tab" as const), tab: index, deed }),
  forge: fc.record({ do: fc.constant("forge" as const), tab: index, ago: fc.nat(3) }),
  restart: fc.record({ do: fc.constant("restart hub" as const), isKilled: fc.boolean(), back: often(0, 100, 3000) }),
  wait: fc.record({ do: fc.constant("wait" as const), milliseconds: often(1, 1, 10, 10, 60, 250, 900, 2100, 5500) }),
};

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 24, arbitrary: steps.call },
  { weight: 5, arbitrary: steps.repeat },
  { weight: 2, arbitrary: steps.cancel },
  { weight: 4, arbitrary: steps.cut },
  { weight: 14, arbitrary: steps.tab },
  { weight: 2, arbitrary: steps.forge },
  { weight: 2, arbitrary: steps.restart },
  { weight: 20, arbitrary: steps.wait },
);

const blow: fc.Arbitrary<TabDeed> = often("cut", "cut", "close", "reload", "crash", "kill", "freeze", "wake");

/** Many events for one tab in a short time, around a call to it. */
const burst: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    index,
    errand,
    fc.array(fc.tuple(often("call", "call", "ack", "ack", "result", "hello", "suspended"), blow), { maxLength: 3 }),
    fc.array(fc.tuple(deed, often(0, 1, 10, 60, 250, 900)), { maxLength: 3 }),
  )
  .map(([tab, given, ambushes, deeds]) => [
    ...ambushes.map(([frame, each]): Step => ({ do: "ambush", tab, frame, deed: each })),
    { do: "call", errand: { ...given, tab, aim: "request" } },
    ...deeds.flatMap(([each, milliseconds]): Step[] => [
      { do: "wait", milliseconds },
      { do: "tab", tab, deed: each },
    ]),
  ]);

const pause = often(0, 1, 60, 900, 2100, 5500);

/** A key that is repeated after its hub ended, with any events of its tab before and in between. */
const relapse: fc.Arbitrary<readonly Step[]> = fc
  .record({
    tab: index,
    given: errand,
    aim: often("none", "request", "request"),
    deeds: fc.tuple(often("focus", "reload", "freeze"), often("focus", "crash", "kill", "close", "reload")),
    pauses: fc.tuple(often(0, 1, 60), pause, pause, pause),
    isKilled: often(true, true, false),
  })
  .map(({ tab, given, aim, deeds: [before, after], pauses, isKilled }) => {
    const wait = (at: number): Step => ({ do: "wait", milliseconds: pauses[at] ?? 0 });
    return [
      { do: "tab", tab, deed: before },
      wait(0),
      { do: "call", errand: { ...given, tab, aim, isKeyed: true, isAstray: false } },
      wait(1),
      { do: "restart hub", isKilled, back: 100 },
      { do: "tab", tab, deed: after },
      { do: "tab", tab, deed: "open" },
      { do: "tab", tab, deed: "wake" },
      wait(2),
      { do: "repeat", ago: 0, agent: given.agent },
      wait(3),
      { do: "repeat", ago: 0, agent: given.agent },
    ];
  });

export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.nat(),
  chaos: fc.record({
    delay: often(0, 5, 80, 700),
    duplicates: often(0, 15, 40),
    reorders: often(0, 15, 40),
    hasLedger: often(true, true, false),
    failures: often(0, 0, 0, 10),
  }),
  steps: fc
    .array(
      fc.oneof(
        { weight: 16, arbitrary: step.map((one): readonly Step[] => [one]) },
        { weight: 4, arbitrary: burst },
        { weight: 1, arbitrary: relapse },
      ),
      { maxLength: 100, size: "max" },
    )
    .map((parts) => parts.flat()),
});
