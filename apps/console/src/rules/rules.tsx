// The rules by which the hub lets pages and calls in: its policy, its origins, and what the user decided about tools.
import { Tabs } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import { Decisions, Pins } from "./decisions.tsx";
import { Origins } from "./origins.tsx";
import { PolicyView } from "./policy-view.tsx";

const places = [
  { value: "policy", label: "Policy" },
  { value: "origins", label: "Origins" },
  { value: "decisions", label: "Decisions" },
  { value: "pins", label: "Pinned tools" },
] as const;

export function Rules({ session, route }: ViewProps) {
  const { value: place } = places.find(({ value }) => value === route.path[1]) ?? places[0];
  return (
    <Tabs label="Rules" options={places} value={place} onValue={(value) => goTo(href(["rules", value]), true)}>
      {place === "policy" && <PolicyView session={session} />}
      {place === "origins" && <Origins session={session} />}
      {place === "decisions" && <Decisions session={session} />}
      {place === "pins" && <Pins session={session} />}
    </Tabs>
  );
}
