// Service accounts: programs that act for the organisation and for no person. A key is shown once.
import { useState } from "preact/hooks";
import { messageOf, showInvisible } from "pagewire/wire";
import { Badge, Button, Dialog, Select, TextField, Time, Until, toast } from "../../../common/src/ui/index.ts";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { Rows, useList } from "./rows.tsx";

interface Service {
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly madeBy: string;
  readonly keys: readonly { readonly id: string; readonly expiresAt: number; readonly usedAt?: number }[];
}

interface MadeKey {
  readonly name: string;
  readonly key: string;
}

const day = 24 * 60 * 60 * 1000;

export function Services({ session }: { readonly session: Session }) {
  const list = useList<Service>(session, "/api/team/services", "services");
  const [made, setMade] = useState<MadeKey>();
  const [removing, setRemoving] = useState<Service>();
  const [busy, change] = useChange();
  const show = (answer: unknown) => {
    setMade(answer as MadeKey);
    list.read();
  };
  const rotate = async ({ name }: Service) =>
    show(await session.request("POST", `${pathOf(name)}/keys`, { keepOldFor: day }));
  const remove = async ({ name }: Service) => {
    setRemoving(undefined);
    await session.request("DELETE", pathOf(name));
    list.read();
    toast(`${showInvisible(name)} is removed, and its keys with it.`);
  };
  return (
    <div class="rules">
      {made && <NewKey made={made} onClose={() => setMade(undefined)} />}
      <NewService make={async (body) => show(await session.request("POST", "/api/team/services", body))} />
      <Rows
        label="Service accounts"
        list={list}
        titles={["Name", "May use", "Keys", "Change"]}
        keyOf={({ name }) => name}
        empty="There is no service account yet."
        cells={(service) => [
          showInvisible(service.name),
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
              New key <span class="visually-hidden">for {showInvisible(service.name)}</span>
            </Button>
            <Button small kind="danger" onClick={() => setRemoving(service)}>
              Remove <span class="visually-hidden">{showInvisible(service.name)}</span>
            </Button>
          </div>,
        ]}
      />
      {removing && (
        <Dialog
          title={`Remove ${showInvisible(removing.name)}?`}
          asks
          onClose={() => setRemoving(undefined)}
          actions={
            <>
              <Button onClick={() => setRemoving(undefined)}>Keep it</Button>
              <Button kind="danger" onClick={() => change(removing.name, () => remove(removing))}>
                Remove it
              </Button>
            </>
          }
        >
          <p>Programs that use its keys are cut off at once.</p>
        </Dialog>
      )}
    </div>
  );
}

function NewKey({ made: { name, key }, onClose }: { readonly made: MadeKey; readonly onClose: () => void }) {
  return (
    <section class="notice info service-key" aria-labelledby="new-key-title">
      <h2 id="new-key-title">The key of {showInvisible(name)}</h2>
      <p role="status">
        It is shown this once: copy it to where its program reads it. Keys before it are good for a day.
      </p>
      <CommandLine text={key} />
      <Button onClick={onClose}>Done</Button>
    </section>
  );
}

const scopes = [
  { value: "tools", label: "Tools" },
  { value: "tools:destructive", label: "Tools that destroy, too" },
  { value: "admin", label: "Everything, as an admin" },
] as const;

const times = [7, 30, 90, 365].map((days) => ({ value: String(days), label: `${days} days` }));

function NewService({ make }: { readonly make: (body: object) => Promise<void> }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<string>("tools");
  const [days, setDays] = useState("90");
  const [problem, setProblem] = useState<string>();
  const [busy, change] = useChange();
  const submit = async () => {
    try {
      await make({ name: name.trim(), scopes: [scope], expiresIn: Number(days) * day });
      setName("");
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <form
      class="rules-form"
      aria-label="Make a service account"
      onSubmit={(event) => {
        event.preventDefault();
        change("make", submit);
      }}
    >
      <TextField
        label="New service account"
        placeholder="deploy"
        value={name}
        error={problem}
        autocomplete="off"
        onValue={(value) => {
          setProblem(undefined);
          setName(value);
        }}
      />
      <Select label="May use" options={scopes} value={scope} onValue={setScope} />
      <Select label="Key is good for" options={times} value={days} onValue={setDays} />
      <Button type="submit" kind="strong" busy={busy === "make"} disabled={name.trim() === ""}>
        Make it
      </Button>
    </form>
  );
}

function pathOf(name: string): string {
  return `/api/team/services/${encodeURIComponent(name)}`;
}
