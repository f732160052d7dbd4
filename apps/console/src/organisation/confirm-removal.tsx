import type { ComponentChildren } from "preact";
import { Button, Dialog } from "../../../common/src/ui/index.ts";

export interface ConfirmRemovalProps {
  readonly what: string;
  readonly onKeep: () => void;
  readonly onRemove: () => void;
  /** What it means. */
  readonly children: ComponentChildren;
}

export function ConfirmRemoval({ what, onKeep, onRemove, children }: ConfirmRemovalProps) {
  return (
    <Dialog
      title={`Remove ${what}?`}
      asks
      onClose={onKeep}
      actions={
        <>
          <Button onClick={onKeep}>Keep it</Button>
          <Button kind="danger" onClick={onRemove}>
            Remove it
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
