// The hub's model: which it is, whether it answers, and which others of its provider could take its place.
import { useState } from "preact/hooks";
import { showInvisible } from "pagewire/wire";
import {
  Badge,
  Button,
  CopyButton,
  Empty,
  Loading,
  Problem,
  Table,
  TextField,
  durationText,
  toast,
} from "../../../common/src/ui/index.ts";
import type { ViewProps } from "../frame/view.ts";
import { useAnswer, useChange } from "../../../common/src/session/use-answer.ts";
import { OwnersOnly } from "../rules/owners-only.tsx";

interface ModelAnswer {
  readonly provider: string | null;
  readonly model: string | null;
  readonly models: readonly string[];
  readonly isRehearsal: boolean;
  readonly mayChange: boolean;
  /** After a choice. */
  readonly isSaved?: boolean;
}

interface ListAnswer {
  readonly models: readonly string[];
  readonly problem: string | null;
  readonly local: readonly LocalServer[];
}

/** A model server of the hub's machine. */
interface LocalServer {
  readonly provider: string;
  readonly title: string;
  readonly address: string;
  readonly models: readonly string[];
}

interface TestAnswer {
  readonly model: string;
  readonly isOk: boolean;
  readonly milliseconds: number;
  readonly tokens: number;
  readonly answer?: string;
  readonly problem?: string;
}

const noModel =
  "Start the hub with a key in its environment, such as ANTHROPIC_API_KEY, or with npx pagewire hub --model.";

const noTeamModel = "An administrator of your organisation can set one here, at Organisation, Model.";

export function Models({ session }: ViewProps) {
  const { value, error, read, take } = useAnswer<ModelAnswer>(session, "/api/model");
  const [busy, change] = useChange();
  const [result, setResult] = useState<TestAnswer>();
  if (!value) return error ? <Problem title="The model cannot be read" error={error} onRetry={read} /> : <Loading />;
  const { provider, model, isRehearsal, mayChange } = value;
  if (provider === null || model === null)
    return session.info.mode === "team" ? (
      <Empty title="Your organisation has no model">{noTeamModel}</Empty>
    ) : (
      <Empty title="This hub has no model">{noModel}</Empty>
    );

  const test = (name: string) =>
    change(`test ${name}`, async () => {
      setResult(undefined);
      setResult((await session.request("POST", "/api/model/test", { model: name })) as TestAnswer);
    });
  const use = (name: string) =>
    change(`use ${name}`, async () => {
      const chosen = (await session.request("PUT", "/api/model", { model: name })) as ModelAnswer;
      take(chosen);
      toast({ text: `New questions go to ${name}${chosen.isSaved ? "" : ", until the hub stops"}.`, tone: "ok" });
    });
  return (
    <div class="rules">
      <section class="box connect-client" aria-labelledby="current-title">
        <div class="rules-head">
          <h2 id="current-title">{showInvisible(isRehearsal ? model : `${provider}/${model}`)}</h2>
          <Button busy={busy === `test ${model}`} onClick={() => test(model)}>
            Test it
          </Button>
        </div>
        {isRehearsal ? (
          <p>
            <Badge tone="wait">rehearsal</Badge> It plays a model, and needs no key. {noModel}
          </p>
        ) : (
          <p class="hint">The default of new questions. Its provider was chosen when the hub started.</p>
        )}
        <div role="status">{result && <TestResult {...result} />}</div>
      </section>
      {isRehearsal && <Offers session={session} />}
      {!isRehearsal && <Choice {...{ session, value, busy, test, use }} />}
      {!isRehearsal && !mayChange && <OwnersOnly session={session} command="npx pagewire model use <model>" />}
    </div>
  );
}

function TestResult({ model, isOk, milliseconds, tokens, answer = "", problem = "" }: TestAnswer) {
  const time = durationText(milliseconds);
  if (!isOk)
    return <Problem title={`${showInvisible(model)} did not answer (${time})`}>{showInvisible(problem)}</Problem>;
  return (
    <p class="models-result">
      <Badge tone="ok">answers</Badge> {showInvisible(model)} in {time}, for {tokens} tokens:{" "}
      <q>{showInvisible(answer.trim()) || "nothing"}</q>
    </p>
  );
}

/** For a hub that has no key. */
function Offers({ session }: Pick<ViewProps, "session">) {
  const { value } = useAnswer<ListAnswer>(session, "/api/models");
  return value ? <OnThisMachine servers={value.local} /> : null;
}

/** How to use the models of the hub's machine: another provider is chosen when the hub starts. */
function OnThisMachine({ servers }: { readonly servers: readonly LocalServer[] }) {
  return servers.map(({ provider, title, address, models }) => {
    const command = `npx pagewire restart --model ${provider}/${models[0]}`;
    return (
      <section class="box connect-client" key={provider} aria-label={`${title} on the hub's machine`}>
        <p>
          <b>{title}</b> answers at <code>{address}</code>, with{" "}
          {models
            .slice(0, 5)
            .map((name) => showInvisible(name))
            .join(", ")}
          {models.length > 5 && ` and ${models.length - 5} more`}. Use it with:
        </p>
        <p>
          <code>{showInvisible(command)}</code> <CopyButton what="the command" text={command} />
        </p>
      </section>
    );
  });
}

interface ChoiceProps extends Pick<ViewProps, "session"> {
  readonly value: ModelAnswer;
  readonly busy: string | undefined;
  readonly test: (name: string) => void;
  readonly use: (name: string) => void;
}

/** The provider's models, to test, and for the owner to choose. */
function Choice({ session, value, busy, test, use }: ChoiceProps) {
  const list = useAnswer<ListAnswer>(session, "/api/models");
  const [search, setSearch] = useState("");
  if (!list.value)
    return list.error ? (
      <Problem title="The models cannot be listed" error={list.error} onRetry={list.read} />
    ) : (
      <Loading />
    );
  const { models, problem, local } = list.value;
  const rows = models.filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <section class="models-list" aria-labelledby="models-title">
      <h2 id="models-title">Models of {showInvisible(value.provider ?? "")}</h2>
      {problem !== null && <Problem title="The provider lists no others">{showInvisible(problem)}</Problem>}
      {models.length > 8 && (
        <TextField label="Search" hidesLabel placeholder="Search" type="search" value={search} onValue={setSearch} />
      )}
      <Table
        label="Models"
        rows={rows}
        keyOf={(name) => name}
        rowHeight={44}
        empty={<p class="hint">No model has this in its name.</p>}
        columns={[
          {
            title: "Model",
            cell: (name) => (
              <span class="models-name">
                <span title={name}>{showInvisible(name)}</span>
                {name === value.model && <Badge tone="info">in use</Badge>}
              </span>
            ),
          },
          {
            title: "Actions",
            width: "max-content",
            cell: (name) => (
              <span class="models-actions">
                {(value.mayChange || value.models.includes(name)) && (
                  <Button small kind="quiet" busy={busy === `test ${name}`} onClick={() => test(name)}>
                    Test<span class="visually-hidden"> {name}</span>
                  </Button>
                )}
                {value.mayChange && name !== value.model && (
                  <Button small busy={busy === `use ${name}`} onClick={() => use(name)}>
                    Use<span class="visually-hidden"> {name}</span>
                  </Button>
                )}
              </span>
            ),
          },
        ]}
      />
      <OnThisMachine servers={local} />
    </section>
  );
}
