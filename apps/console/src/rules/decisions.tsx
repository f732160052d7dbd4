// The user's lasting decisions about tools, in the agent's window and of pinned origins.
import { isJsonObject, parseJsonObject, showInvisible } from "pagewire/wire";
import { Badge, Button, Empty, Loading, Problem } from "../../../common/src/ui/index.ts";
import { useAnswer, useChange } from "../../../common/src/session/use-answer.ts";
import { Consents } from "../../../common/src/session/consents.tsx";
import type { Session } from "../../../common/src/session/session.ts";

interface Pin {
  readonly origin: string;
  readonly app: string;
  readonly via: "tab" | "window";
  readonly name: string;
}

interface WaitingTool extends Pin {
  readonly definition: string;
  readonly before?: string;
}

interface PinsAnswer {
  readonly pins: readonly Pin[];
  readonly waiting: readonly WaitingTool[];
  readonly more: number;
}

export interface DecisionsProps {
  readonly session: Session;
}

/** The user's lasting decisions in the agent's window. */
export function Decisions({ session }: DecisionsProps) {
  const none = (
    <Empty title="Nothing is decided for always">
      Where the assistant asks whether a tool may run, "More answers" has those that hold for always. They are listed
      here.
    </Empty>
  );
  return (
    <div class="rules">
      <p>What you allowed or refused for always in the agent's window. One that is taken back is asked about again.</p>
      <Consents session={session} none={none} />
    </div>
  );
}

/** The pinned tools of the user, or of the principal whom this path is about. */
export function Pins({ session, path = "/api/pins" }: DecisionsProps & { readonly path?: string }) {
  const { value, error, read } = useAnswer<PinsAnswer>(session, path);
  const [busy, change] = useChange();
  if (!value)
    return error ? <Problem title="The pinned tools cannot be read" error={error} onRetry={read} /> : <Loading />;
  const { pins, waiting, more } = value;
  const choose = (action: "accept" | "remove", { origin, name }: Pin) =>
    change(`${action} ${origin} ${name}`, async () => {
      await session.request("POST", `${path}/${action}`, { origin, name });
      read();
    });
  if (pins.length + waiting.length === 0)
    return (
      <Empty title="No tool is pinned">
        Of a pinned origin agents see the tools as they were first seen, and a changed one waits here. Pin origins with
        "pin" in the policy, or all of them with npx pagewire hub --pin.
      </Empty>
    );
  return (
    <div class="rules">
      {waiting.length > 0 && <h2>Changed, and not shown to agents</h2>}
      {waiting.map((tool) => (
        <section key={keyOf(tool)} class="rules-waiting" aria-label={`${tool.name} of ${tool.origin}`}>
          <div class="rules-head">
            <p>
              <Badge tone="wait">{tool.before === undefined ? "new" : "changed"}</Badge>{" "}
              <strong>{showInvisible(tool.name)}</strong> <span class="hint">of {placeOf(tool)}</span>
            </p>
            <Button small busy={busy === `accept ${tool.origin} ${tool.name}`} onClick={() => choose("accept", tool)}>
              Accept as it is now
            </Button>
          </div>
          <Changes before={tool.before} now={tool.definition} />
        </section>
      ))}
      {more > 0 && <p class="hint">{more} more wait, and are listed once these are accepted.</p>}
      {pins.length > 0 && <h2>Pinned</h2>}
      <ul class="box lines">
        {pins.map((pin) => (
          <li key={keyOf(pin)}>
            <strong>{showInvisible(pin.name)}</strong>
            <span class="hint">of {placeOf(pin)}</span>
            <Button small busy={busy === `remove ${pin.origin} ${pin.name}`} onClick={() => choose("remove", pin)}>
              Forget <span class="visually-hidden">{pin.name}</span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function keyOf({ origin, app, via, name }: Pin): string {
  return JSON.stringify([origin, app, via, name]);
}

function placeOf({ origin, app, via }: Pin): string {
  return `${showInvisible(origin)}${via === "window" ? ", in the agent's window" : `, app ${showInvisible(app)}`}`;
}

/** The fields of a definition that are not as they were, old beside new. */
function Changes({ before, now }: { readonly before: string | undefined; readonly now: string }) {
  const [was, is] = [before ?? "{}", now].map((text) => parseJsonObject(text, 64) ?? {});
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].filter((name) => name !== "name");
  const texts = names.map((name) => [name, textOf(was?.[name]), textOf(is?.[name])] as const);
  return (
    <div class="box rules-scroll" role="region" aria-label="What changed" tabIndex={0}>
      <table class="rules-table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">As it was first seen</th>
            <th scope="col">As it is now</th>
          </tr>
        </thead>
        <tbody>
          {texts
            .filter(([, old, next]) => old !== next)
            .map(([name, old, next]) => (
              <tr key={name}>
                <th scope="row">{showInvisible(name)}</th>
                <td>{old === "" ? <span class="hint">not there</span> : <del>{old}</del>}</td>
                <td>{next === "" ? <span class="hint">not there any more</span> : <ins>{next}</ins>}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return showInvisible(typeof value === "string" ? value : JSON.stringify(value, null, isJsonObject(value) ? 2 : 0));
}
