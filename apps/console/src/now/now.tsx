// The tabs, agents and terminals that are connected to the hub now, and the hub itself.
import { Loading, Problem } from "../../../common/src/ui/index.ts";
import type { ViewProps } from "../frame/view.ts";
import { Agents } from "./agents.tsx";
import { AboutHub, Terminals } from "./about-hub.tsx";
import { Hubs } from "./hubs.tsx";
import { TabPlace } from "./tab-place.tsx";
import { Tabs } from "./tabs.tsx";

export function Now({ hub, session, route }: ViewProps) {
  const [, kind, tabId] = route.path;
  const problem = hub.problem.value;
  if (!hub.tabs.value) {
    if (problem === undefined) return <Loading>Reading the hub</Loading>;
    return <Problem title="What is connected could not be read" error={problem} onRetry={hub.refresh} />;
  }
  if (kind === "tab" && tabId !== undefined) return <TabPlace {...{ hub, session, tabId }} />;
  return (
    <div class="stack now">
      {problem !== undefined && <Problem title="What you see is from before" error={problem} onRetry={hub.refresh} />}
      <Tabs {...{ hub, session }} />
      <Agents hub={hub} />
      <Terminals hub={hub} />
      <Hubs hub={hub} />
      <AboutHub hub={hub} />
    </div>
  );
}
