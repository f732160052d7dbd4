// The connected pages, and those that their user disconnected.
import { showInvisible } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import { Button, Dot, Empty, Table, Time } from "../../../common/src/ui/index.ts";
import type { Column } from "../../../common/src/ui/index.ts";
import { icons } from "../../../common/src/icons.ts";
import { goTo, href } from "../frame/route.ts";
import type { DisconnectedTab, HubTab } from "../hub/facts.ts";
import type { Hub } from "../hub/hub.ts";
import { changeTab } from "./change-tab.ts";
import { countText, stateOf } from "./describe.ts";

interface TabsProps {
  readonly hub: Hub;
  readonly session: Pick<Session, "request">;
}

/** Pages whose height the whole table has; with more it scrolls in itself. */
const shownRows = 12;
const rowHeight = 52;

export function Tabs({ hub, session }: TabsProps) {
  const tabs = hub.tabs.value ?? [];
  const demo = hub.status.value?.demo;
  const toDemo = demo && (
    <a class="button" href={demo} target="_blank" rel="noopener">
      Open the demo
    </a>
  );
  return (
    <section aria-labelledby="now-tabs">
      <h2 id="now-tabs">
        Pages <span class="total">{tabs.length}</span>
      </h2>
      {tabs.length === 0 ? (
        <div class="box panel">
          <Empty title="No page is connected" icon={icons.mark} action={toDemo}>
            Open a page that offers tools. A page of yours is connected by one line, which is under “Connect a page” in
            the assistant.
          </Empty>
        </div>
      ) : (
        <div class="box panel rows" style={{ height: `${34 + rowHeight * Math.min(tabs.length, shownRows)}px` }}>
          <Table
            label="Connected pages"
            rows={tabs}
            columns={columns}
            rowHeight={rowHeight}
            keyOf={({ tabId }) => tabId}
            onOpen={({ tabId }) => goTo(href(["now", "tab", tabId]))}
          />
        </div>
      )}
      <Disconnected {...{ hub, session }} />
    </section>
  );
}

const columns: readonly Column<HubTab>[] = [
  {
    title: "Page",
    width: "minmax(0, 2.4fr)",
    cell: (tab) => (
      <span class="two-lines">
        <a href={href(["now", "tab", tab.tabId])} tabIndex={-1}>
          <Dot tone={stateOf(tab).tone} /> {showInvisible(tab.title || tab.app)}
        </a>
        <small>
          {showInvisible(tab.app)} · {tab.origin}
          {tab.hub && ` · at ${tab.hub}`}
        </small>
      </span>
    ),
  },
  { title: "State", width: "minmax(0, 1.1fr)", hideBelow: 560, cell: (tab) => stateOf(tab).text },
  {
    title: "Offers",
    width: "minmax(0, 0.9fr)",
    cell: ({ tools, resources, prompts }) => (
      <span class="two-lines">
        <span>{countText(tools.length, "tool")}</span>
        {resources.length + prompts.length > 0 && (
          <small>
            {[
              resources.length > 0 && countText(resources.length, "resource"),
              prompts.length > 0 && countText(prompts.length, "prompt"),
            ]
              .filter(Boolean)
              .join(", ")}
          </small>
        )}
      </span>
    ),
  },
  { title: "Connected", width: "110px", hideBelow: 760, cell: ({ since }) => <Time at={Date.parse(since)} /> },
  { title: "Last sign", width: "100px", hideBelow: 900, cell: ({ lastSeen }) => <Time at={Date.parse(lastSeen)} /> },
];

function Disconnected({ hub, session }: TabsProps) {
  const away = hub.disconnected.value;
  if (away.length === 0) return null;
  return (
    <div class="box panel disconnected">
      <h3>Disconnected by you</h3>
      <p class="hint">They stay away until they are loaded again, or let back.</p>
      <ul>
        {away.map((tab) => (
          <DisconnectedRow key={tab.tabId} {...{ hub, session, tab }} />
        ))}
      </ul>
    </div>
  );
}

function DisconnectedRow({ hub, session, tab }: TabsProps & { readonly tab: DisconnectedTab }) {
  return (
    <li>
      <span class="two-lines">
        <span>{showInvisible(tab.title || tab.app)}</span>
        <small>
          {showInvisible(tab.app)} · {tab.origin} · <Time at={Date.parse(tab.at)} />
        </small>
      </span>
      <Button small onClick={() => void changeTab({ hub, session }, tab.tabId, "reconnect")}>
        Let it back
      </Button>
    </li>
  );
}
