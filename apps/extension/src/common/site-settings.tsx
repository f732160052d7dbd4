import type { CallMode, SiteSettings as Site } from "pagewire/extension";
import { Segments } from "../../../common/src/ui/segments.tsx";
import { Switch } from "../../../common/src/ui/fields.tsx";

const modes: readonly { readonly value: CallMode; readonly label: string }[] = [
  { value: "ask", label: "Ask me" },
  { value: "read-only", label: "Read only" },
  { value: "all", label: "Everything" },
];

const hints: Readonly<Record<CallMode, string>> = {
  ask: "You are asked before a tool changes anything.",
  "read-only": "Agents get only tools that change nothing.",
  all: "Agents use every tool, and you are not asked.",
};

export interface SiteSettingsProps {
  readonly origin: string;
  readonly site: Site;
  readonly onChange: (change: Partial<{ calls: CallMode; polyfill: boolean; reading: boolean }>) => void;
}

/** How far agents may go at a site. */
export function CallsSetting({ origin, site, onChange }: SiteSettingsProps) {
  return (
    <div class="stack calls-setting">
      <Segments
        label={`What agents may do at ${origin}`}
        options={modes}
        value={site.calls}
        onValue={(calls) => onChange({ calls })}
      />
      <p class="hint">{hints[site.calls]}</p>
    </div>
  );
}

/** The switches of a site. */
export function SiteSwitches({ site, onChange }: Omit<SiteSettingsProps, "origin">) {
  return (
    <>
      <Switch
        label="Give its pages WebMCP"
        hint="Where this browser has none, so that they can offer tools. Counts from the next load on."
        checked={site.polyfill}
        onChange={(polyfill) => onChange({ polyfill })}
      />
      <Switch
        label="Let agents read its pages"
        hint="Two more tools: the visible text, and a picture of it."
        checked={site.reading}
        onChange={(reading) => onChange({ reading })}
      />
    </>
  );
}
