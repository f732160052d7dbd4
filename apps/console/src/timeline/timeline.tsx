// Every call of this user: as it happens, and back into the audit.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { icons } from "../../../common/src/icons.ts";
import { Button, Dot, Empty, Loading, Problem, Segments, Table } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import type { Hub } from "../hub/hub.ts";
import { callColumns } from "./call-columns.tsx";
import { CallDetails } from "./call-details.tsx";
import { mostNews } from "./call-list.ts";
import type { CallRow } from "./call-row.ts";
import { Density } from "./density.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { isAll, placeOf, readFilters, withField } from "./filters.ts";
import type { Filters } from "./filters.ts";
import type { Summary } from "./summary.ts";
import { ToolTable } from "./tool-table.tsx";
import { useCalls } from "./use-calls.ts";
import type { Calls } from "./use-calls.ts";

export function Timeline({ session, hub, route }: ViewProps) {
  const filters = useMemo(() => readFilters(route.query), [route.query.toString()]);
  const calls = useCalls(session, hub, filters);
  const [shows, setShows] = useState<"calls" | "tools">("calls");
  const summary = calls.summary.value;
  const open = route.path[1];
  return (
    <div class="stack timeline">
      <FilterBar filters={filters} failures={summary?.failures} known={useKnown(hub, summary)} />
      {summary && (
        <Density
          summary={summary}
          onSelect={(since, until) => {
            const from = withField(filters, "since", new Date(since).toISOString());
            goTo(placeOf(withField(from, "until", new Date(until).toISOString())));
          }}
        />
      )}
      <div class="row">
        <Counts summary={summary} />
        <Segments
          label="What is shown"
          value={shows}
          options={[
            { value: "calls", label: "Calls" },
            { value: "tools", label: "Times by tool" },
          ]}
          onValue={setShows}
        />
        {shows === "calls" && <Tail calls={calls} />}
      </div>
      {shows === "calls" ? (
        <CallTable {...{ calls, filters, open }} />
      ) : (
        <ToolTable
          tools={summary?.tools ?? []}
          onOpen={(tool) => {
            setShows("calls");
            goTo(placeOf(withField(filters, "tool", tool)));
          }}
        />
      )}
      {open !== undefined && <CallDetails key={open} {...{ session, hub, filters }} id={open} />}
    </div>
  );
}

function useKnown(hub: Hub, summary: Summary | undefined) {
  const tabs = hub.tabs.value ?? [];
  const unique = (values: readonly string[]) => [...new Set(values)].filter(Boolean);
  return {
    tool: unique([
      ...(summary?.tools ?? []).map(({ tool }) => tool),
      ...tabs.flatMap(({ tools }) => tools.map(({ name }) => name)),
    ]).slice(0, 200),
    agent: unique((hub.agents.value ?? []).map(({ name }) => name)),
    app: unique(tabs.map(({ app }) => app)),
    origin: unique(tabs.map(({ origin }) => origin)),
    tab: unique(tabs.map(({ tabId }) => tabId)),
    outcome: ["failed", "ok", "tool-error", "rejected", "not-delivered", "page-gone", "deadline-exceeded", "cancelled"],
    door: ["mcp", "http", "socket", "delegate", "model", "window"],
    ran: ["yes", "no", "maybe"],
    decidedBy: ["not-asked", "user", "session", "consent", "policy", "page", "time"],
  };
}

function Counts({ summary }: { readonly summary: Summary | undefined }) {
  if (!summary) return <p class="hint">Counting</p>;
  const { calls, failures, isWhole } = summary;
  const format = (count: number) => count.toLocaleString();
  return (
    <p class="counts">
      <strong>{format(calls)}</strong> {calls === 1 ? "call" : "calls"}
      {failures > 0 && ", "}
      {failures > 0 && <span class="failed">{format(failures)} failed</span>}
      {!isWhole && <span class="hint"> (the latest 10,000 were looked at)</span>}
    </p>
  );
}

/** Whether new calls come in, and how many wait. */
function Tail({ calls }: { readonly calls: Calls }) {
  const { news, isHeld } = calls.tail.value;
  const count = news >= mostNews ? `${mostNews.toLocaleString()}+` : news.toLocaleString();
  return (
    <div class="row tail">
      {isHeld && news > 0 && (
        <Button small kind="strong" onClick={calls.toNewest}>
          {count} new
        </Button>
      )}
      <Button small onClick={() => calls.pause(!calls.isPaused.value)}>
        {calls.isPaused.value ? "Go on" : "Pause"}
      </Button>
      <span class="hint tail-state" role="status">
        <Dot tone={isHeld ? "plain" : "ok"} />
        {isHeld ? "Held" : "Live"}
      </span>
    </div>
  );
}

interface CallTableProps {
  readonly calls: Calls;
  readonly filters: Filters;
  readonly open: string | undefined;
}

const rowHeight = 34;
/** Earlier calls are read when this many pixels of rows are left below. */
const nearEnd = 20 * rowHeight;

function CallTable({ calls, filters, open }: CallTableProps) {
  const { list } = calls;
  const place = useRef<HTMLDivElement>(null);
  const state = list.state.value;
  const live = calls.live.value;
  const shownBefore = useRef(none);
  // While the calls of other filters are read, those of before stay: nothing flickers, and nothing is laid out twice.
  const isChanging = state.isLoading && state.rows.length === 0 && live.length === 0;
  const own = live.length === 0 ? state.rows : [...live, ...state.rows];
  const rows = isChanging ? shownBefore.current : own;
  shownBefore.current = rows;
  // The newest rows are at the top.
  useLayoutEffect(() => {
    const table = place.current?.querySelector(".table");
    if (table && table.scrollTop > 0) table.scrollTop = 0;
  }, [calls, calls.tops.value]);

  function scrolled({ target }: Event): void {
    if (!(target instanceof Element) || !target.matches(".table")) return;
    calls.scrolled(target.scrollTop > 0);
    if (target.scrollHeight - target.scrollTop - target.clientHeight < nearEnd) void list.older();
  }

  return (
    <div class="stack timeline-table" ref={place} aria-busy={isChanging} onScrollCapture={scrolled}>
      {state.problem !== undefined && (
        <Problem title="The calls could not be read." error={state.problem} onRetry={() => void list.restart()} />
      )}
      {!state.isRecorded && (
        <p class="notice">
          This hub keeps no audit: only calls that run now are shown. Start it without the option audit: "none".
        </p>
      )}
      <Table
        label="Calls, the newest first"
        rows={rows}
        columns={callColumns}
        keyOf={({ id }) => id}
        current={open}
        rowHeight={rowHeight}
        onOpen={({ id }) => goTo(placeOf(filters, id))}
        empty={<NoCalls {...{ filters }} isLoading={state.isLoading} />}
      />
      {rows.length > 0 && (
        <p class="hint table-foot" role="status">
          {state.isLoading ? (
            "Reading"
          ) : state.hasOlder ? (
            <Button small kind="quiet" onClick={() => void list.older()}>
              Earlier calls
            </Button>
          ) : (
            "These are all."
          )}
        </p>
      )}
    </div>
  );
}

const none: readonly CallRow[] = [];

interface NoCallsProps {
  readonly filters: Filters;
  readonly isLoading: boolean;
}

function NoCalls({ filters, isLoading }: NoCallsProps) {
  if (isLoading) return <Loading>Reading the calls</Loading>;
  if (isAll(filters)) {
    return (
      <Empty
        title="No call yet"
        icon={icons.search}
        action={
          <a class="button" href={href(["try"])}>
            Try a tool
          </a>
        }
      >
        Every call of an agent, a model or this console appears here as it happens.
      </Empty>
    );
  }
  const all: Filters = { text: "", last: undefined, equal: {} };
  return (
    <Empty
      title="No call is like this"
      icon={icons.search}
      action={
        <a class="button" href={placeOf(all)}>
          Show all calls
        </a>
      }
    >
      The filters leave none over.
    </Empty>
  );
}
