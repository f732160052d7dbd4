// How to connect an MCP client to this hub, and whether it has connected.
import { useComputed } from "@preact/signals";
import { showInvisible } from "pagewire/wire";
import { Code, Dot, Empty, Loading, Problem, Time } from "../../../common/src/ui/index.ts";
import type { ViewProps } from "../frame/view.ts";
import type { HubAgent } from "../hub/facts.ts";
import { useAnswer } from "../../../common/src/session/use-answer.ts";

interface ClientSetup {
  readonly id: string;
  readonly title: string;
  readonly line: string;
  readonly next: readonly string[];
  readonly names: readonly string[];
}

interface ClientsAnswer {
  readonly mcp: string;
  readonly clients: readonly ClientSetup[];
}

export function Connect({ session, hub }: ViewProps) {
  const { value, error, read } = useAnswer<ClientsAnswer>(session, "/api/clients");
  if (!value) return error ? <Problem title="The clients cannot be read" error={error} onRetry={read} /> : <Loading />;
  const { mcp, clients } = value;
  const isTeam = hub.status.value?.mode === "team";
  return (
    <div class="rules">
      <p>
        Any MCP client can call the tools of your tabs.{" "}
        {clients.length > 0 && "Type the line of yours in any folder; it holds no token."}
      </p>
      {clients.map((client) => (
        <section key={client.id} class="box connect-client" aria-labelledby={`client-${client.id}`}>
          <div class="rules-head">
            <h2 id={`client-${client.id}`}>{client.title}</h2>
            {client.names.length > 0 && <LiveState hub={hub} client={client} />}
          </div>
          <Code label={`The line for ${client.title}`} text={client.line} language="bash" wraps />
          <ul class="hint connect-then">
            {client.next.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      ))}
      {isTeam && <ByCommand url={mcp.replace(/\/mcp$/, "")} />}
      {clients.length === 0 && !isTeam && (
        <Empty title="By address and token">
          Your agents' tokens are signed by the server of your app, which knows you.
        </Empty>
      )}
      <section class="box connect-client" aria-labelledby="client-address">
        <h2 id="client-address">By address</h2>
        <p>
          {isTeam ? signsIn : "A client that speaks Streamable HTTP takes this address, and the token as its bearer."}
        </p>
        <Code label="The address for MCP" text={mcp} />
        {clients.length > 0 && <Code label="To show the token" text="npx pagewire token show" language="bash" />}
      </section>
    </div>
  );
}

const signsIn =
  "A client that signs in by itself takes this address alone, and opens your browser. Any other also takes a key of yours as its bearer: make one under Organisation.";

function ByCommand({ url }: { readonly url: string }) {
  return (
    <section class="box connect-client" aria-labelledby="client-command">
      <h2 id="client-command">By the command line</h2>
      <p>
        Sign in once on your machine. The second line shows how to connect a client, and without a name which there are.
      </p>
      <Code
        label="To sign in and connect"
        text={`npx pagewire login ${url}\nnpx pagewire connect claude-code`}
        language="bash"
      />
    </section>
  );
}

/** Whether a client of this kind is there, by the name with which it introduces itself. */
function LiveState({ hub, client }: { readonly hub: ViewProps["hub"]; readonly client: ClientSetup }) {
  const agents = useComputed(() => agentsOf(client, hub.agents.value ?? []));
  const [latest] = agents.value;
  if (!latest)
    return (
      <p class="hint connect-state" role="status">
        <Dot /> Not connected yet
      </p>
    );
  const { name, version = "", lastSeen, connections } = latest;
  return (
    <p class="hint connect-state" role="status">
      <Dot tone="ok" />
      <span class="cut connect-name">{showInvisible(`${name} ${version}`.trim())}</span>
      <span>{connections > 0 ? "connected, seen" : "was here"}</span> <Time at={Date.parse(lastSeen)} />
    </p>
  );
}

/** The agents of a client, the latest first. */
export function agentsOf({ names }: Pick<ClientSetup, "names">, agents: readonly HubAgent[]): readonly HubAgent[] {
  const own = agents.filter(
    ({ name, door }) => door === "mcp" && names.some((start) => name.toLowerCase().startsWith(start)),
  );
  return own.toSorted((one, other) => Date.parse(other.lastSeen) - Date.parse(one.lastSeen));
}
