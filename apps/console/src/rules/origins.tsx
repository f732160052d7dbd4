// The origins whose pages may offer tools, and those whose pages came lately and were not let in.
import { useState } from "preact/hooks";
import { messageOf, showInvisible } from "pagewire/wire";
import { Badge, Button, Loading, Problem, TextField, Time, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useAnswer, useChange } from "../../../common/src/session/use-answer.ts";
import { OwnersOnly } from "./owners-only.tsx";

interface OriginsAnswer {
  readonly origins: readonly { readonly origin: string; readonly isSaved: boolean }[];
  readonly refused: readonly { readonly origin: string; readonly time: string }[];
  readonly mayChange: boolean;
}

export function Origins({ session }: { readonly session: Session }) {
  const { value, error, read, take } = useAnswer<OriginsAnswer>(session, "/api/origins");
  const [busy, change] = useChange();
  if (!value) return error ? <Problem title="The origins cannot be read" error={error} onRetry={read} /> : <Loading />;
  const { origins, refused, mayChange } = value;
  const allow = async (origin: string) => {
    take((await session.request("POST", "/api/origins", { origin })) as OriginsAnswer);
    toast({ text: `Pages of ${origin} can offer tools now.`, tone: "ok" });
  };
  const remove = async (origin: string) => {
    take((await session.request("DELETE", `/api/origins/${encodeURIComponent(origin)}`)) as OriginsAnswer);
    toast({
      text: `Pages of ${origin} cannot offer tools any more.`,
      action: { label: "Undo", run: () => change(origin, () => allow(origin)) },
    });
  };
  return (
    <div class="rules">
      <p>
        Pages of these origins may offer tools, and open the agent's window. The hub's own pages need no permission.
      </p>
      {mayChange ? <AllowForm allow={allow} /> : <OwnersOnly session={session} command="npx pagewire allow <origin>" />}
      {refused.length > 0 && (
        <section aria-labelledby="refused-title">
          <h2 id="refused-title">Not let in</h2>
          <ul class="box lines">
            {refused.map(({ origin, time }) => (
              <li key={origin}>
                <code>{showInvisible(origin)}</code>
                <span class="hint">
                  asked <Time at={Date.parse(time)} />
                </span>
                {mayChange && (
                  <Button small busy={busy === origin} onClick={() => change(origin, () => allow(origin))}>
                    Allow <span class="visually-hidden">{origin}</span>
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="allowed-title">
        <h2 id="allowed-title">Allowed</h2>
        {origins.length === 0 && <p class="hint">No origin is allowed but the hub's own.</p>}
        <ul class="box lines">
          {origins.map(({ origin, isSaved }) => (
            <li key={origin}>
              <code>{showInvisible(origin)}</code>
              {!isSaved && <Badge title="By an option of its start, or the demo's">for this run of the hub</Badge>}
              {mayChange && isSaved && (
                <Button small kind="danger" busy={busy === origin} onClick={() => change(origin, () => remove(origin))}>
                  Remove <span class="visually-hidden">{origin}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function AllowForm({ allow }: { readonly allow: (origin: string) => Promise<void> }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, change] = useChange();
  const submit = () =>
    change("allow", async () => {
      try {
        await allow(text.trim());
        setText("");
      } catch (error) {
        setProblem(messageOf(error));
      }
    });
  return (
    <form
      class="rules-line"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label="Allow an origin"
        placeholder="http://localhost:5173"
        value={text}
        error={problem}
        inputMode="url"
        autocomplete="off"
        onValue={(value) => {
          setProblem(undefined);
          setText(value);
        }}
      />
      <Button type="submit" kind="strong" busy={busy === "allow"} disabled={text.trim() === ""}>
        Allow
      </Button>
    </form>
  );
}
