import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "pagewire/wire";
import { Button, Dialog } from "../../../common/src/ui/index.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";

export interface FormDialogProps {
  readonly title: string;
  readonly isReady: boolean;
  /** If it rejects, the dialog stays and says why. */
  readonly save: () => Promise<void>;
  readonly onClose: () => void;
  /** The names that the hub has for its fields. */
  readonly fields?: readonly string[];
  /** `errors` has the hub's refusal at the field that it names. */
  readonly children: (errors: Readonly<Record<string, string | undefined>>) => ComponentChildren;
}

/** A form that is open until the hub has taken it. */
export function FormDialog({ title, isReady, save, onClose, fields = [], children }: FormDialogProps) {
  const [problem, setProblem] = useState<string>();
  const [busy, change] = useChange();
  const field = fields.find((name) => problem?.includes(`"${name}"`));
  const submit = () =>
    change("save", async () => {
      setProblem(undefined);
      try {
        await save();
        onClose();
      } catch (error) {
        setProblem(messageOf(error));
      }
    });
  return (
    <Dialog
      title={title}
      asks
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="strong" busy={busy !== undefined} disabled={!isReady} onClick={submit}>
            Save
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) submit();
        }}
      >
        {children(field === undefined ? {} : { [field]: problem })}
        {/* Enter sends the form only where it has such a button. */}
        <button type="submit" hidden />
        <p class={field === undefined ? "problem" : "visually-hidden"} role="alert">
          {problem}
        </p>
      </form>
    </Dialog>
  );
}
