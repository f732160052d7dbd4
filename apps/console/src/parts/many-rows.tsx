import { useState } from "preact/hooks";
import { Badge, Button, Drawer, Empty, Table, Time, durationText } from "../../../common/src/ui/index.ts";
import type { Column, Tone } from "../../../common/src/ui/index.ts";

interface Row {
  readonly id: number;
  readonly tool: string;
  readonly outcome: string;
  readonly tone: Tone;
  readonly took: number;
  readonly at: number;
}

const outcomes: readonly (readonly [string, Tone])[] = [
  ["ok", "ok"],
  ["waits", "wait"],
  ["tool-failed", "bad"],
];

const columns: readonly Column<Row>[] = [
  { title: "Tool", cell: ({ tool }) => <code>{tool}</code> },
  { title: "Outcome", width: "110px", cell: ({ outcome, tone }) => <Badge tone={tone}>{outcome}</Badge> },
  { title: "Took", width: "70px", isNumber: true, hideBelow: 420, cell: ({ took }) => durationText(took) },
  { title: "When", width: "110px", hideBelow: 560, cell: ({ at }) => <Time at={at} /> },
];

const rowOf = (id: number): Row => {
  const [outcome, tone] = outcomes[id % 7 === 0 ? 2 : id % 11 === 0 ? 1 : 0] ?? ["ok", "ok"];
  return { id, tool: `tool_${id}`, outcome, tone, took: (id * 37) % 900, at: Date.now() - (10_000 - id) * 1000 };
};

export function ManyRows() {
  const [rows, setRows] = useState(() => Array.from({ length: 10_000 }, (_, index) => rowOf(9999 - index)));
  const [open, setOpen] = useState<Row>();
  const empty = <Empty title="No rows">Add some, and they come above the others.</Empty>;
  const more = (): void => {
    const first = (rows[0]?.id ?? -1) + 1;
    setRows([...Array.from({ length: 100 }, (_, index) => rowOf(first + 99 - index)), ...rows]);
  };
  return (
    <>
      <p>
        <Button small onClick={more}>
          100 more
        </Button>{" "}
        <Button small onClick={() => setRows([])}>
          None
        </Button>{" "}
        {rows.length.toLocaleString()} rows
      </p>
      <div class="box parts-table">
        <Table
          label="Calls"
          rows={rows}
          columns={columns}
          keyOf={({ id }) => String(id)}
          current={open === undefined ? undefined : String(open.id)}
          onOpen={setOpen}
          empty={empty}
        />
      </div>
      {open && (
        <Drawer title={open.tool} onClose={() => setOpen(undefined)}>
          <p>Its outcome: {open.outcome}.</p>
        </Drawer>
      )}
    </>
  );
}
