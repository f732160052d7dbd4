import { useState } from "preact/hooks";
import { icons } from "../../../common/src/icons.ts";
import { Empty, Segments, Table, durationText } from "../../../common/src/ui/index.ts";
import type { Column } from "../../../common/src/ui/index.ts";
import type { ToolTimes } from "./summary.ts";
import { shown } from "./words.ts";

export interface ToolTableProps {
  readonly tools: readonly ToolTimes[];
  readonly onOpen: (tool: string) => void;
}

const orders = {
  failures: (tool: ToolTimes) => tool.failures,
  calls: (tool: ToolTimes) => tool.calls,
  p95: (tool: ToolTimes) => tool.p95 ?? -1,
} as const;

/** How often each tool was called, how often that failed, and how long it took. */
export function ToolTable({ tools, onOpen }: ToolTableProps) {
  const [order, setOrder] = useState<keyof typeof orders>("failures");
  const value = orders[order];
  const rows = tools.toSorted((one, other) => value(other) - value(one) || other.calls - one.calls);
  return (
    <div class="stack timeline-table">
      <Segments
        label="Order"
        value={order}
        options={[
          { value: "failures", label: "Failures first" },
          { value: "calls", label: "Most called first" },
          { value: "p95", label: "Slowest first" },
        ]}
        onValue={setOrder}
      />
      <Table
        label="Tools"
        rows={rows}
        columns={columns}
        keyOf={({ tool }) => tool}
        onOpen={({ tool }) => onOpen(tool)}
        empty={
          <Empty title="No call, no times" icon={icons.search}>
            As soon as a tool was called, its times are here.
          </Empty>
        }
      />
    </div>
  );
}

const timeOf = (milliseconds: number | undefined) => (milliseconds === undefined ? "" : durationText(milliseconds));

const columns: readonly Column<ToolTimes>[] = [
  { title: "Tool", width: "minmax(0, 2fr)", cell: ({ tool }) => <span title={shown(tool)}>{shown(tool)}</span> },
  { title: "Calls", width: "minmax(52px, 1fr)", isNumber: true, cell: ({ calls }) => calls.toLocaleString() },
  {
    title: "Failed",
    width: "minmax(52px, 1fr)",
    isNumber: true,
    cell: ({ failures }) => <span class={failures > 0 ? "failed" : undefined}>{failures.toLocaleString()}</span>,
  },
  { title: "P50", width: "minmax(64px, 1fr)", isNumber: true, hideBelow: 420, cell: ({ p50 }) => timeOf(p50) },
  { title: "P95", width: "minmax(64px, 1fr)", isNumber: true, cell: ({ p95 }) => timeOf(p95) },
  {
    title: "Longest",
    width: "minmax(64px, 1fr)",
    isNumber: true,
    hideBelow: 560,
    cell: ({ longest }) => timeOf(longest),
  },
];
