// Service accounts: programs that act for the organisation and for no person. A key is shown once.
import { useState } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Badge, Button, Time, Until, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { Confirm } from "./confirm.tsx";
import { KeyForm, day } from "./key-form.tsx";
import { MadeKey } from "./made-key.tsx";
import type { MadeKeyAnswer } from "./made-key.tsx";
import { Rows, useList } from "./rows.tsx";

interface Service {
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly madeBy: string;
  readonly keys: readonly { readonly id: string; readonly expiresAt: number; readonly usedAt?: number }[];
}

export function Services({ session }: { readonly session: Session }) {
  const list = useList<Service>(session, "/api/team/services", "services");
  const [made, setMade] = useState<MadeKeyAnswer>();
  const [removing, setRemoving] = useState<Service>();
  const [busy, change] = useChange();
  const show = (answer: unknown) => {
    setMade(answer as MadeKeyAnswer);
    list.read();
  };
  const rotate = async ({ name }: Service) =>
    show(await session.request("POST", `${pathOf(name)}/keys`, { keepOldFor: day }));
  const remove = async ({ name }: Service) => {
    setRemoving(undefined);
    await session.request("DELETE", pathOf(name));
    list.read();
    toast(`${shortened(name, 80)} is removed, and its keys with it.`);
  };
  return (
    <div class="rules">
      {made && <MadeKey made={made} note="Keys before it are good for a day." onClose={() => setMade(undefined)} />}
      <KeyForm
        title="Make a service account"
        label="New service account"
        placeholder="deploy"
        isForAdmins
        make={async (body) => show(await session.request("POST", "/api/team/services", body))}
      />
      <Rows
        label="Service accounts"
        list={list}
        titles={["Name", "May use", "Keys", "Change"]}
        keyOf={({ name }) => name}
        empty="There is no service account yet."
        cells={(service) => [
          <>
            {shortened(service.name, 80)}
            <p class="hint">made by {shortened(service.madeBy, 80)}</p>
          </>,
          service.scopes.map((scope) => <Badge key={scope}>{scope}</Badge>),
          service.keys.length === 0
            ? "none that is good"
            : service.keys.map(({ id, expiresAt, usedAt }) => (
                <p key={id}>
                  until <Until at={expiresAt} />,{" "}
                  {usedAt === undefined ? (
                    "never used"
                  ) : (
                    <>
                      used <Time at={usedAt} />
                    </>
                  )}
                </p>
              )),
          <div class="row">
            <Button small busy={busy === service.name} onClick={() => change(service.name, () => rotate(service))}>
              New key <span class="visually-hidden">for {shortened(service.name, 80)}</span>
            </Button>
            <Button small kind="danger" onClick={() => setRemoving(service)}>
              Remove <span class="visually-hidden">{shortened(service.name, 80)}</span>
            </Button>
          </div>,
        ]}
      />
      {removing && (
        <Confirm
          title={`Remove ${shortened(removing.name, 80)}?`}
          action="Remove it"
          onCancel={() => setRemoving(undefined)}
          onConfirm={() => change(removing.name, () => remove(removing))}
        >
          Programs that use its keys are cut off at once.
        </Confirm>
      )}
    </div>
  );
}

function pathOf(name: string): string {
  return `/api/team/services/${encodeURIComponent(name)}`;
}
