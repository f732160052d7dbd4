import { outcomeNames } from "../wire/index.ts";
import type { ErrorCode } from "../wire/index.ts";
import type { SwitchboardCounts } from "../switchboard/index.ts";

/** Counts what happens at the hub's border, and writes it all in Prometheus' text format. */
export interface Metrics {
  refused(code: ErrorCode): void;
  unknownFrame(): void;
  text(counts: SwitchboardCounts): string;
}

export function createMetrics(): Metrics {
  const refusals = new Map<ErrorCode, number>();
  let unknownFrames = 0;

  return {
    refused: (code) => void refusals.set(code, (refusals.get(code) ?? 0) + 1),
    unknownFrame() {
      unknownFrames++;
    },
    text({ tabs, agents, callsInFlight, outcomes }) {
      const { heapUsed, rss } = process.memoryUsage();
      return [
        metric("pagewire_tabs", "gauge", "Tabs that are connected or expected back.", tabs),
        metric("pagewire_agents", "gauge", "Agents that are connected.", agents),
        metric("pagewire_calls_in_flight", "gauge", "Calls that have not ended.", callsInFlight),
        family(
          "pagewire_calls_total",
          "Calls that ended, by outcome.",
          outcomeNames.map((name) => [`outcome="${name}"`, outcomes[name] ?? 0]),
        ),
        family(
          "pagewire_refusals_total",
          "Requests and frames that were refused, by error code.",
          [...refusals].map(([code, count]) => [`code="${code}"`, count]),
        ),
        metric(
          "pagewire_unknown_frames_total",
          "counter",
          "Frames of a type that this version does not know.",
          unknownFrames,
        ),
        metric("process_resident_memory_bytes", "gauge", "Resident memory.", rss),
        metric("nodejs_heap_used_bytes", "gauge", "Heap in use.", heapUsed),
        metric(
          "process_uptime_seconds",
          "gauge",
          "Seconds since the hub's process started.",
          Math.round(process.uptime()),
        ),
      ].join("");
    },
  };
}

function metric(name: string, type: "gauge" | "counter", help: string, value: number): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
}

function family(name: string, help: string, values: readonly (readonly [string, number])[]): string {
  const lines = values.map(([label, value]) => `${name}{${label}} ${value}\n`).join("");
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines}`;
}
