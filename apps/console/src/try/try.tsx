// Tries the tools, resources and prompts of the connected pages, as an agent would.
import { showInvisible } from "pagewire/wire";
import { useRef } from "preact/hooks";
import { icons } from "../../../common/src/icons.ts";
import { Badge, Empty, Loading } from "../../../common/src/ui/index.ts";
import { href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import { Picker, isSame } from "./picker.tsx";
import { isKind, targetsOf } from "./targets.ts";
import type { Target } from "./targets.ts";
import { Trial } from "./trial.tsx";

export function Try({ hub, session, route }: ViewProps) {
  const tabs = hub.tabs.value;
  const [, tabId, name] = route.path;
  const given = route.query.get("kind");
  const kind = isKind(given) ? given : "tool";
  const found = tabs
    ?.filter((tab) => tab.tabId === tabId)
    .flatMap(targetsOf)
    .find((each) => each.kind === kind && each.name === name);
  const target = useSteady(found);
  if (!tabs) return <Loading>Reading the hub</Loading>;
  if (tabs.length === 0 && !target) return <NoPages demo={session.info.demo} />;
  return (
    <div class={name === undefined ? "try" : "try has-target"}>
      <Picker tabs={tabs} current={target} />
      <div class="stack try-place">
        {name !== undefined && (
          <p class="try-back">
            <a href={href(["try"])}>All that can be tried</a>
          </p>
        )}
        {target && <About target={target} isThere={found !== undefined} />}
        {target && <Trial key={keyOf(target)} {...{ hub, target }} principal={session.info.principal} />}
        {!target && name !== undefined && (
          <Empty title="This is not offered any more">Its page was closed, or has changed what it offers.</Empty>
        )}
        {!target && name === undefined && (
          <Empty title="Choose what to try">It runs in its page, for real, as if an agent had called it.</Empty>
        )}
      </div>
    </div>
  );
}

/** A trial stays on the screen while its page is away; a changed definition is another one. */
function useSteady(found: Target | undefined): Target | undefined {
  const kept = useRef<Target>(undefined);
  const route = useRef(location.hash);
  if (route.current !== location.hash) kept.current = undefined;
  route.current = location.hash;
  if (found && !(kept.current && isSame(found, kept.current) && keyOf(found) === keyOf(kept.current)))
    kept.current = found;
  return kept.current;
}

function keyOf({ kind, tab, name, schema }: Target): string {
  return JSON.stringify([kind, tab.tabId, name, schema]);
}

function About({ target, isThere }: { readonly target: Target; readonly isThere: boolean }) {
  const { name, title, description, tab, isDestructive, isReadOnly, kind } = target;
  return (
    <header class="stack about-target">
      <div class="row place-head">
        <h2>{showInvisible(title ?? name)}</h2>
        {title !== undefined && title !== name && <code>{showInvisible(name)}</code>}
        {kind === "tool" && isReadOnly && <Badge title="By its own word">only reads</Badge>}
        {isDestructive && <Badge tone="bad">destructive</Badge>}
        {!isThere && <Badge tone="wait">its page is away</Badge>}
      </div>
      <p class="hint">
        In <a href={href(["now", "tab", tab.tabId])}>{showInvisible(tab.title || tab.app)}</a>, {tab.origin}
      </p>
      {description !== undefined && <p class="description">{showInvisible(description.slice(0, 4000))}</p>}
    </header>
  );
}

function NoPages({ demo }: { readonly demo: string | null }) {
  const toDemo = demo !== null && (
    <a class="button" href={demo} target="_blank" rel="noopener">
      Open the demo
    </a>
  );
  return (
    <div class="box panel">
      <Empty title="No page is connected" icon={icons.mark} action={toDemo}>
        Open a page that offers tools: they can be tried here at once.
      </Empty>
    </div>
  );
}
