// The hub itself, and its terminals.
import type { ComponentChildren } from "preact";
import { Badge, Time } from "../../../common/src/ui/index.ts";
import type { Budget, HubStatus } from "../hub/facts.ts";
import type { Hub } from "../hub/hub.ts";
import { budgetText, bytesText, countText } from "./describe.ts";
import { Fact } from "./fact.tsx";

export function Terminals({ hub }: { readonly hub: Hub }) {
  const status = hub.status.value;
  if (!status) return null;
  const { hasTerminals, terminals } = status;
  return (
    <section aria-labelledby="now-terminals">
      <h2 id="now-terminals">
        Terminals <span class="total">{terminals ?? "?"}</span>
      </h2>
      <div class="box panel line">
        <p>{textOf(status)}</p>
        {hasTerminals && (
          <a class="button small" href="/terminal">
            Open the terminals
          </a>
        )}
      </div>
    </section>
  );
}

function textOf({ hasTerminals, terminals }: HubStatus): ComponentChildren {
  if (!hasTerminals)
    return (
      <>
        Terminals are off. Switch them on, and open one: <code>npx pagewire terminal</code>
      </>
    );
  if (terminals === null) return "The hub cannot read its store at the moment.";
  if (terminals > 0) return `${countText(terminals, "terminal")} of yours.`;
  return (
    <>
      None of yours yet: <code>npx pagewire terminal</code>
    </>
  );
}

export function AboutHub({ hub }: { readonly hub: Hub }) {
  const status = hub.status.value;
  if (!status) return null;
  // A balancer may have each answer come from another hub: what belongs to one process would jump.
  const isAlone = status.hubs === undefined;
  return (
    <section aria-labelledby="now-hub">
      <h2 id="now-hub">Hub</h2>
      <div class="box panel hub-facts">
        <dl class="about-facts">
          <Fact name="Address">{location.origin}</Fact>
          <Fact name="Version">
            {status.version}, {status.mode === "local" ? "for one user" : "for many users"}
          </Fact>
          {isAlone && (
            <Fact name="Started">
              <Time at={Date.parse(status.startedAt)} />
            </Fact>
          )}
          <Fact name="Model">{modelText(status)}</Fact>
          <Fact name="Calls in flight">{status.callsInFlight}</Fact>
          {isAlone && status.rssBytes !== undefined && <Fact name="Memory">{bytesText(status.rssBytes)}</Fact>}
          {isAlone && status.cpuSeconds !== undefined && <Fact name="CPU time">{status.cpuSeconds.toFixed(1)} s</Fact>}
          <Fact name="Saves">
            {status.isStoreOk ? <Badge tone="ok">yes</Badge> : <Badge tone="bad">not at the moment</Badge>}
          </Fact>
          <Fact name="Audit">{status.isRecorded ? "recorded" : "off"}</Fact>
        </dl>
        <div class="budgets">
          <h3>Budgets in use</h3>
          <ul>
            {status.budgets.map((budget) => (
              <BudgetRow key={budget.name} budget={budget} />
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}

function BudgetRow({ budget }: { readonly budget: Budget }) {
  const { label, value } = budgetText(budget);
  return (
    <li title={budget.name}>
      <span>{label}</span>
      <span class="hint">{value}</span>
      <meter min={0} max={budget.max} high={budget.max * 0.8} value={budget.used} aria-label={`${label}: ${value}`} />
    </li>
  );
}

function modelText({ provider, models, isRehearsal }: HubStatus): string {
  if (provider === null) return "none";
  if (isRehearsal) return "the rehearsal model, which needs no key";
  return models.length === 0 ? provider : `${provider}: ${models.join(", ")}`;
}
