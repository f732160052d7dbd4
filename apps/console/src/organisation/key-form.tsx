// Makes something that has a key: a service account, or a key of one's own.
import { useState } from "preact/hooks";
import { messageOf } from "pagewire/wire";
import { Button, Select, TextField } from "../../../common/src/ui/index.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";

export const day = 24 * 60 * 60 * 1000;

const scopes = [
  { value: "tools", label: "Tools" },
  { value: "tools:destructive", label: "Tools that destroy, too" },
] as const;
const adminsScope = { value: "admin", label: "Everything, as an admin" } as const;

const times = [7, 30, 90, 365].map((days) => ({ value: String(days), label: `${days} days` }));

export interface KeyFormProps {
  readonly title: string;
  readonly label: string;
  readonly placeholder: string;
  readonly isForAdmins: boolean;
  /** Rejects if the hub refuses it: the form says why. */
  readonly make: (body: object) => Promise<void>;
}

export function KeyForm({ title, label, placeholder, isForAdmins, make }: KeyFormProps) {
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
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        change("make", submit);
      }}
    >
      <TextField
        {...{ label, placeholder }}
        value={name}
        error={problem}
        autocomplete="off"
        onValue={(value) => {
          setProblem(undefined);
          setName(value);
        }}
      />
      <Select
        label="May use"
        options={isForAdmins ? [...scopes, adminsScope] : scopes}
        value={scope}
        onValue={setScope}
      />
      <Select label="Is good for" options={times} value={days} onValue={setDays} />
      <Button type="submit" kind="strong" busy={busy === "make"} disabled={name.trim() === ""}>
        Make it
      </Button>
    </form>
  );
}
