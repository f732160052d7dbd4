import { budgets, outcomeNames } from "../../wire/index.ts";
import type { BudgetName, ErrorCode } from "../../wire/index.ts";
import type { SwitchboardCounts } from "../../switchboard/index.ts";

/** Counters of the hub, in Prometheus' text format. */
export interface Metrics {
  refused(code: ErrorCode): void;
  /** Sets the listener of refusals. */
  onRefused(listener: (code: ErrorCode) => void): void;
  /** Counts a refusal, disconnect or eviction caused by a limit. */
  overBudget(name: BudgetName): void;
  unknownFrame(): void;
  /** Counts a window's answer to an unknown call. */
  strayAnswer(): void;
  /** Counts a model's finished, failed or stopped answer. */
  answered(isDone: boolean, tokens: number): void;
  storeFailed(code: ErrorCode): void;
  /** Counts a failed write, whether or not it is retried. */
  notSaved(what: NotSaved): void;
  text(counts: Counts): string;
}

const keptThings = [
  "conversation",
  "consent",
  "pin",
  "sign-in",
  "terminal",
  "person",
  "usage",
  "key",
  "outcome",
  "audit",
] as const;

export type NotSaved = (typeof keptThings)[number];

/** Gauges, read when the metrics are. */
export interface Counts extends SwitchboardCounts {
  readonly conversations: number;
  readonly answers: number;
  readonly isStoreOk: boolean;
  /** Undefined for a hub alone. */
  readonly cluster?: ClusterCounts | undefined;
}

export interface ClusterCounts {
  readonly isBusUp: boolean;
  /** The other hubs. */
  readonly hubs: number;
  readonly remoteTabs: number;
  /** The calls of other hubs that run in this one's tabs. */
  readonly carried: number;
  /** How often messages of another hub were lost. */
  readonly losses: number;
  readonly sent: Traffic;
  readonly received: Traffic;
}

interface Traffic {
  readonly messages: number;
  readonly bytes: number;
}

export function createMetrics(): Metrics {
  const refusals = new Map<ErrorCode, number>();
  const listeners = new Set<(code: ErrorCode) => void>();
  const overBudgets = new Map(Object.keys(budgets).map((name) => [name, 0]));
  let unknownFrames = 0;
  let strayAnswers = 0;
  const storeFailures = new Map<ErrorCode, number>([
    ["not-saved", 0],
    ["store-damaged", 0],
  ]);
  const notSaved = new Map<NotSaved, number>(keptThings.map((what) => [what, 0]));
  const answered = { done: 0, failed: 0, tokens: 0 };

  return {
    refused(code) {
      refusals.set(code, (refusals.get(code) ?? 0) + 1);
      for (const listener of listeners) listener(code);
    },
    onRefused: (listener) => void listeners.add(listener),
    overBudget: (name) => void overBudgets.set(name, (overBudgets.get(name) ?? 0) + 1),
    unknownFrame() {
      unknownFrames++;
    },
    strayAnswer() {
      strayAnswers++;
    },
    answered(isDone, tokens) {
      answered[isDone ? "done" : "failed"]++;
      answered.tokens += tokens;
    },
    storeFailed: (code) => void storeFailures.set(code, (storeFailures.get(code) ?? 0) + 1),
    notSaved: (what) => void notSaved.set(what, (notSaved.get(what) ?? 0) + 1),
    text({ tabs, agents, callsInFlight, outcomes, conversations, answers, isStoreOk, cluster }) {
      const { heapUsed, rss } = process.memoryUsage();
      return [
        gauge("pagewire_tabs", "Tabs that are connected or expected back.", tabs),
        gauge("pagewire_agents", "Agents that are connected.", agents),
        gauge("pagewire_calls_in_flight", "Calls that have not ended.", callsInFlight),
        counter("pagewire_calls_total", "Calls that ended, by outcome.", {
          outcome: outcomeNames.map((name) => [name, outcomes[name] ?? 0]),
        }),
        counter("pagewire_refusals_total", "Requests and frames that were refused, by error code.", {
          code: [...refusals],
        }),
        counter("pagewire_over_budget_total", "Refusals, truncations and evictions for a budget, by limit.", {
          budget: [...overBudgets],
        }),
        counter("pagewire_unknown_frames_total", "Frames of a type that this version does not know.", unknownFrames),
        counter("pagewire_stray_answers_total", "Answers of agent's windows to no call that waits.", strayAnswers),
        gauge("pagewire_conversations", "Conversations with a model that are in memory.", conversations),
        gauge("pagewire_answers_in_flight", "Answers that a model is writing.", answers),
        counter("pagewire_answers_total", "Answers that ended, by how.", {
          outcome: [
            ["done", answered.done],
            ["failed", answered.failed],
          ],
        }),
        counter("pagewire_model_tokens_total", "Tokens that answers used.", answered.tokens),
        gauge("pagewire_store_ok", "Whether what must outlive the hub can be saved.", isStoreOk ? 1 : 0),
        counter("pagewire_store_failures_total", "Reads and writes of the store that failed, by error code.", {
          code: [...storeFailures],
        }),
        counter("pagewire_not_saved_total", "Failed writes, by kind.", {
          what: [...notSaved],
        }),
        ...(cluster ? clusterMetrics(cluster) : []),
        gauge("process_resident_memory_bytes", "Resident memory.", rss),
        gauge("nodejs_heap_used_bytes", "Heap in use.", heapUsed),
        gauge("process_uptime_seconds", "Seconds since the hub's process started.", Math.round(process.uptime())),
      ].join("");
    },
  };
}

function clusterMetrics({
  isBusUp,
  hubs,
  remoteTabs,
  carried,
  losses,
  sent,
  received,
}: ClusterCounts): readonly string[] {
  const traffic = (what: keyof Traffic): Labelled => ({
    direction: [
      ["sent", sent[what]],
      ["received", received[what]],
    ],
  });
  return [
    gauge("pagewire_bus_up", "Whether messages to other hubs get through.", isBusUp ? 1 : 0),
    gauge("pagewire_other_hubs", "Other hubs of the cluster that are alive.", hubs),
    gauge("pagewire_remote_tabs", "Tabs of other hubs that this one knows.", remoteTabs),
    gauge("pagewire_carried_calls", "Calls of other hubs that run in tabs of this one.", carried),
    counter("pagewire_bus_losses_total", "Times that messages of another hub were lost.", losses),
    counter("pagewire_bus_messages_total", "Messages over the bus, by direction.", traffic("messages")),
    counter("pagewire_bus_bytes_total", "Bytes of messages over the bus, by direction.", traffic("bytes")),
  ];
}

/** One value for each value of a label. */
type Labelled = Readonly<Record<string, readonly (readonly [word: string, value: number])[]>>;

function gauge(name: string, help: string, value: number): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`;
}

function counter(name: string, help: string, value: number | Labelled): string {
  const values = typeof value === "number" ? [`${name} ${value}\n`] : linesOf(name, value);
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${values.join("")}`;
}

function linesOf(name: string, values: Labelled): readonly string[] {
  return Object.entries(values).flatMap(([label, words]) =>
    words.map(([word, value]) => `${name}{${label}="${word}"} ${value}\n`),
  );
}
