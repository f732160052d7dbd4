// The model of the organisation, with a key that is written and never shown.
import { useState } from "preact/hooks";
import { showInvisible } from "pagewire/wire";
import { Button, Loading, Problem, Select, TextField, Time, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useAnswer, useChange } from "../../../common/src/session/use-answer.ts";
import { shortened } from "../../../common/src/shortened.ts";
import { Fact } from "../now/fact.tsx";
import { Confirm } from "./confirm.tsx";
import { FormDialog } from "./form-dialog.tsx";

interface ModelSetting {
  readonly provider: string;
  /** The default first. */
  readonly models: readonly string[];
  readonly baseUrl?: string;
  readonly hasKey: boolean;
  readonly setBy: string;
  readonly setAt: number;
}

interface ModelAnswer {
  readonly model: ModelSetting | null;
  /** Whether people get the hub's model where there is none. */
  readonly hasHubs?: boolean;
  readonly providers: readonly string[];
}

const path = "/api/team/model";

export function OrganisationModel({ session }: { readonly session: Session }) {
  const { value, error, read, take } = useAnswer<ModelAnswer>(session, path);
  const [shows, show] = useState<"form" | "removal">();
  const [busy, change] = useChange();
  if (!value) return error ? <Problem title="The model cannot be read" error={error} onRetry={read} /> : <Loading />;
  const { model, hasHubs = false } = value;
  const save = async (body: object) => {
    take((await session.request("PUT", path, body)) as ModelAnswer);
    toast({ text: "Saved. New questions go to this model.", tone: "ok" });
  };
  const remove = async () => {
    show(undefined);
    await session.request("DELETE", path);
    read();
    toast("Your organisation's model is removed, and its key with it.");
  };
  return (
    <div class="rules">
      <section class="box connect-client" aria-labelledby="model-title">
        <div class="rules-head">
          <h2 id="model-title">
            {model ? shortened(`${model.provider}/${model.models[0]}`, 120) : "No model of your own"}
          </h2>
          <Button onClick={() => show("form")}>{model ? "Change it" : "Set a model"}</Button>
        </div>
        {model ? (
          <Setting {...model} />
        ) : (
          <p>{hasHubs ? "Your people use the hub's model." : "Your people have no model: the hub's is not shared."}</p>
        )}
        {model && (
          <div class="rules-actions">
            <a class="button" href="#/models">
              Test it
            </a>
            <Button kind="danger" busy={busy === "remove"} onClick={() => show("removal")}>
              Remove it
            </Button>
          </div>
        )}
      </section>
      {shows === "form" && <ModelForm {...{ value, save }} onClose={() => show(undefined)} />}
      {shows === "removal" && (
        <Confirm
          title="Remove your organisation's model?"
          action="Remove it"
          onCancel={() => show(undefined)}
          onConfirm={() => change("remove", remove)}
        >
          Its key is deleted. Your people then use the hub's model, where its operator shares it, and else none.
        </Confirm>
      )}
    </div>
  );
}

function Setting({ models, baseUrl, hasKey, setBy, setAt }: ModelSetting) {
  return (
    <dl class="call-facts">
      <Fact name="Models">{showInvisible(models.join(", "))}</Fact>
      <Fact name="Address">{baseUrl === undefined ? "the vendor's own" : showInvisible(baseUrl)}</Fact>
      <Fact name="Key">{hasKey ? "there is one, which nobody can read again" : "none"}</Fact>
      <Fact name="Set">
        <Time at={setAt} /> by {shortened(setBy, 80)}
      </Fact>
    </dl>
  );
}

interface ModelFormProps {
  readonly value: ModelAnswer;
  readonly save: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

function ModelForm({ value: { model, providers }, save, onClose }: ModelFormProps) {
  const [values, setValues] = useState({
    provider: model?.provider ?? providers[0] ?? "",
    models: model?.models.join(", ") ?? "",
    apiKey: "",
    baseUrl: model?.baseUrl ?? "",
  });
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onValue: (text: string) => setValues({ ...values, [name]: text }),
  });
  const models = values.models.split(/[\s,]+/).filter(Boolean);
  const given = { apiKey: values.apiKey.trim(), baseUrl: values.baseUrl.trim() };
  const body = {
    ...{ provider: values.provider, models },
    ...Object.fromEntries(Object.entries(given).filter(([, text]) => text !== "")),
  };
  const keepsKey =
    model?.hasKey === true && model.provider === values.provider && (model.baseUrl ?? "") === given.baseUrl;
  return (
    <FormDialog
      title="The model of your organisation"
      isReady={models.length > 0}
      save={() => save(body)}
      onClose={onClose}
      fields={["provider", "models", "apiKey", "baseUrl"]}
    >
      {(errors) => (
        <>
          <Select
            label="Provider"
            options={providers.map((name) => ({ value: name, label: name }))}
            error={errors["provider"]}
            {...field("provider")}
          />
          <TextField
            label="Models"
            hint="The default first, then others that people may choose, with commas."
            autocomplete="off"
            spellcheck={false}
            error={errors["models"]}
            {...field("models")}
          />
          <TextField
            label="API key"
            type="password"
            hint={
              keepsKey
                ? "Leave it empty to keep the one that is set."
                : "It is sealed when it is saved, and nobody can read it again."
            }
            autocomplete="new-password"
            error={errors["apiKey"]}
            {...field("apiKey")}
          />
          <TextField
            label="Address"
            hint="Leave it empty for the vendor's own."
            inputMode="url"
            autocomplete="off"
            placeholder="https://acme.openai.azure.com"
            error={errors["baseUrl"]}
            {...field("baseUrl")}
          />
        </>
      )}
    </FormDialog>
  );
}
