import type { ShownCall } from "pagewire/extension";
import { outcomeTexts } from "../../../common/src/outcome-texts.ts";
import { shortened } from "../../../common/src/shortened.ts";
import { Badge } from "../../../common/src/ui/badge.tsx";
import { Button } from "../../../common/src/ui/button.tsx";
import { Time, durationText } from "../../../common/src/ui/time.tsx";
import type { Store } from "../common/open-store.ts";
import { ProblemLine } from "../common/problem-line.tsx";
import { useSending } from "../common/use-sending.ts";

export interface CallsProps {
  readonly store: Store;
  readonly tabId: number;
  readonly calls: readonly ShownCall[];
}

/** Agents' calls in this tab, the newest first. */
export function Calls({ store, tabId, calls }: CallsProps) {
  return (
    <section class="stack" aria-labelledby="calls">
      <h2 id="calls">Last calls</h2>
      <ul class="box list" tabIndex={0} aria-labelledby="calls">
        {calls.map((call) => (
          <Call key={call.id} {...{ store, tabId, call }} />
        ))}
      </ul>
    </section>
  );
}

function Call({ store, tabId, call }: Omit<CallsProps, "calls"> & { readonly call: ShownCall }) {
  const { problem, isBusy, send } = useSending(store);
  const tool = shortened(call.tool, 80);
  const isRunning = call.outcome === undefined;
  return (
    <li>
      <p class="row">
        <code class="cut" dir="ltr">
          {tool}
        </code>
        {isRunning ? <Badge tone="info">Running</Badge> : <Outcome {...call} />}
        {isRunning && (
          <Button
            small
            kind="danger"
            busy={isBusy}
            aria-label={`Stop ${tool}`}
            onClick={() => void send({ type: "stop-call", tab: tabId, call: call.id })}
          >
            Stop
          </Button>
        )}
      </p>
      <p class="hint">
        <bdi>{shortened(call.agent, 60)}</bdi> · <Time at={call.startedAt} />
        {call.milliseconds !== undefined && ` · ${durationText(call.milliseconds)}`}
      </p>
      <ProblemLine text={problem} />
    </li>
  );
}

function Outcome({ outcome = "", stopped = false }: Pick<ShownCall, "outcome" | "stopped">) {
  if (stopped) return <Badge tone="wait">Stopped</Badge>;
  const { text, tone } = Object.hasOwn(outcomeTexts, outcome)
    ? outcomeTexts[outcome as keyof typeof outcomeTexts]
    : ({ text: outcome, tone: "bad" } as const);
  return <Badge tone={tone}>{text}</Badge>;
}
