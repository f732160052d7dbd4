import type { ComponentChildren } from "preact";
import { Button, Dialog } from "../../../common/src/ui/index.ts";

export interface ConfirmProps {
  readonly title: string;
  /** The button that does it. */
  readonly action: string;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
  /** The consequences, for the person who confirms. */
  readonly children: ComponentChildren;
}

/** Asks before a change that cannot be undone. */
export function Confirm({ title, action, onCancel, onConfirm, children }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      asks
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button kind="danger" onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
