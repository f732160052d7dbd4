import { Badge, Table, Time } from "../../../common/src/ui/index.ts";
import type { Column } from "../../../common/src/ui/index.ts";
import type { HubOfUser } from "../hub/facts.ts";
import type { Hub } from "../hub/hub.ts";

const shownRows = 10;
const rowHeight = 44;

/** The hubs that share this user's tabs, where there are several. */
export function Hubs({ hub }: { readonly hub: Hub }) {
  const hubs = hub.status.value?.hubs;
  if (!hubs) return null;
  return (
    <section aria-labelledby="now-hubs">
      <h2 id="now-hubs">
        Hubs <span class="total">{hubs.length}</span>
      </h2>
      <div class="box panel rows" style={{ height: `${34 + rowHeight * Math.min(hubs.length, shownRows)}px` }}>
        <Table label="Hubs" rows={hubs} columns={columns} rowHeight={rowHeight} keyOf={keyOf} />
      </div>
    </section>
  );
}

function keyOf({ name, startedAt }: HubOfUser): string {
  return `${name} ${startedAt}`;
}

const columns: readonly Column<HubOfUser>[] = [
  {
    title: "Hub",
    width: "minmax(0, 2fr)",
    cell: ({ name, isStopping }) => (
      <span>
        {name} {isStopping && <Badge tone="wait">stopping</Badge>}
      </span>
    ),
  },
  { title: "Version", width: "90px", hideBelow: 760, cell: ({ version }) => version },
  { title: "Started", width: "110px", hideBelow: 480, cell: ({ startedAt }) => <Time at={Date.parse(startedAt)} /> },
  { title: "Tabs", width: "76px", isNumber: true, cell: ({ tabs }) => tabs ?? "?" },
  { title: "Agents", width: "76px", isNumber: true, cell: ({ agents }) => agents ?? "?" },
  { title: "Calls now", width: "90px", isNumber: true, cell: ({ callsInFlight }) => callsInFlight ?? "?" },
];
