// Keys that a person makes for their own agents, where the identity provider cannot authorise those. A key is shown once.
import { useState } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Badge, Button, Time, Until, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { Confirm } from "./confirm.tsx";
import { KeyForm } from "./key-form.tsx";
import { MadeKey } from "./made-key.tsx";
import type { MadeKeyAnswer } from "./made-key.tsx";
import { Rows, useList } from "./rows.tsx";

interface OwnKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number;
}

export function OwnKeys({ session }: { readonly session: Session }) {
  const list = useList<OwnKey>(session, "/api/keys", "keys");
  const [made, setMade] = useState<MadeKeyAnswer>();
  const [removing, setRemoving] = useState<OwnKey>();
  const [, change] = useChange();
  const make = async (body: object) => {
    setMade((await session.request("POST", "/api/keys", body)) as MadeKeyAnswer);
    list.read();
  };
  const remove = async ({ id, name }: OwnKey) => {
    setRemoving(undefined);
    await session.request("DELETE", `/api/keys/${encodeURIComponent(id)}`);
    list.read();
    toast(`The key ${shortened(name, 80)} is removed.`);
  };
  return (
    <section>
      <h2>Your keys</h2>
      <p class="hint">
        For agents that cannot sign in by themselves. What a key does is done by you, and it may never do more than you.
      </p>
      {made && <MadeKey made={made} note="" onClose={() => setMade(undefined)} />}
      <KeyForm
        title="Make a key"
        label="New key"
        placeholder="claude-code on my laptop"
        isForAdmins={session.info.me?.isAdmin === true}
        make={make}
      />
      <Rows
        label="Your keys"
        list={list}
        titles={["Name", "May use", "Until", "Used", "Change"]}
        keyOf={({ id }) => id}
        empty="You have no key."
        cells={(key) => [
          <>
            {shortened(key.name, 80)}
            <p class="hint">
              made <Time at={key.createdAt} />
            </p>
          </>,
          key.scopes.map((scope) => <Badge key={scope}>{scope}</Badge>),
          <Until at={key.expiresAt} />,
          key.lastUsedAt === undefined ? "never" : <Time at={key.lastUsedAt} />,
          <Button small kind="danger" onClick={() => setRemoving(key)}>
            Remove <span class="visually-hidden">{shortened(key.name, 80)}</span>
          </Button>,
        ]}
      />
      {removing && (
        <Confirm
          title={`Remove ${shortened(removing.name, 80)}?`}
          action="Remove it"
          onCancel={() => setRemoving(undefined)}
          onConfirm={() => change(removing.id, () => remove(removing))}
        >
          Programs that use it are cut off at once.
        </Confirm>
      )}
    </section>
  );
}
