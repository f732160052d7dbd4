import { useCalls, useConnection } from "pagewire/react";
import type { PageCall } from "pagewire/react";

/** How the page stands with its hub, and what agents do in it. */
export function AgentPanel() {
  const { status, message } = useConnection();
  const { running, ended } = useCalls();
  return (
    <aside className="agents" aria-label="Agents">
      <h2>Agents</h2>
      <p className={`state ${status}`}>{status === "connected" ? "Agents can use this table." : message}</p>
      <ol>
        {[...running, ...ended].slice(0, 12).map((call) => (
          <Call key={call.id} call={call} />
        ))}
      </ol>
      {running.length + ended.length === 0 && <p className="hint">What agents do here is listed here.</p>}
    </aside>
  );
}

function Call({ call: { name, agent, outcome, milliseconds = 0 } }: { readonly call: PageCall }) {
  return (
    <li className={outcome ?? "running"}>
      <code>{name}</code>
      <span>{agent}</span>
      <span>{outcome === undefined ? "runs" : `${outcome}, ${Math.ceil(milliseconds)} ms`}</span>
    </li>
  );
}
