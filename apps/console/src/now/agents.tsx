import { showInvisible } from "pagewire/wire";
import { Empty, Table, Time } from "../../../common/src/ui/index.ts";
import type { Column } from "../../../common/src/ui/index.ts";
import { href } from "../frame/route.ts";
import type { HubAgent } from "../hub/facts.ts";
import type { Hub } from "../hub/hub.ts";
import { doorTexts } from "./describe.ts";

const shownRows = 10;
const rowHeight = 44;

/** The programs that call tools, by their own words. */
export function Agents({ hub }: { readonly hub: Hub }) {
  const agents = hub.agents.value ?? [];
  return (
    <section aria-labelledby="now-agents">
      <h2 id="now-agents">
        Agents <span class="total">{agents.length}</span>
      </h2>
      {agents.length === 0 ? (
        <div class="box panel">
          <Empty title="No agent is connected">Claude Code, for example: npx pagewire connect claude-code</Empty>
        </div>
      ) : (
        <div class="box panel rows" style={{ height: `${34 + rowHeight * Math.min(agents.length, shownRows)}px` }}>
          <Table label="Connected agents" rows={agents} columns={columns} rowHeight={rowHeight} keyOf={keyOf} />
        </div>
      )}
    </section>
  );
}

/** The same words may be two agents' that have other credentials. */
function keyOf({ door, name, version, since, hub }: HubAgent): string {
  return [door, name, version, since, hub].join(" ");
}

const columns: readonly Column<HubAgent>[] = [
  {
    title: "Agent",
    width: "minmax(0, 2fr)",
    cell: ({ name, version, connections, hub }) => (
      <span class="two-lines">
        <a href={href(["calls"], { agent: name })} title="Its calls">
          {showInvisible(name) || "without a name"}
        </a>
        <small>
          {[version && showInvisible(version), connections > 1 && `${connections} connections`, hub && `at ${hub}`]
            .filter(Boolean)
            .join(" · ")}
        </small>
      </span>
    ),
  },
  { title: "By", width: "minmax(0, 1fr)", cell: ({ door }) => doorTexts[door] ?? door },
  { title: "User", width: "minmax(0, 1fr)", hideBelow: 760, cell: ({ principal }) => showInvisible(principal) },
  {
    title: "Calls",
    width: "76px",
    isNumber: true,
    cell: ({ calls, callsInFlight }) => (callsInFlight > 0 ? `${calls} (${callsInFlight} now)` : calls),
  },
  { title: "Connected", width: "110px", hideBelow: 900, cell: ({ since }) => <Time at={Date.parse(since)} /> },
  { title: "Last seen", width: "100px", hideBelow: 480, cell: ({ lastSeen }) => <Time at={Date.parse(lastSeen)} /> },
];
