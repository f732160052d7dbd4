import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { icons } from "../icons.ts";
import { Button } from "./button.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** The buttons at its foot. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** A question that a click beside it must not answer. */
  readonly asks?: boolean;
}

/** A dialog that is open while it is rendered. The browser keeps the focus in it, and gives it back afterwards. */
export function Dialog(props: DialogProps) {
  return <Overlay {...props} kind="dialog" />;
}

/** The details of something, at the side of the page over the rest. */
export function Drawer(props: DialogProps) {
  return <Overlay {...props} kind="drawer" />;
}

interface OverlayProps extends DialogProps {
  readonly kind: "dialog" | "drawer";
}

function Overlay({ kind, title, onClose, actions, children, asks = false }: OverlayProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    // Closed, and not only removed: then the browser returns the focus.
    return () => shown?.close();
  }, []);

  return (
    <dialog
      ref={element}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={({ target, currentTarget }) => !asks && target === currentTarget && onClose()}
    >
      <div class="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" small icon={icons.close} label="Close" onClick={onClose} />
        </header>
        <div class="dialog-content" tabIndex={-1}>
          {children}
        </div>
        {actions !== undefined && <footer>{actions}</footer>}
      </div>
    </dialog>
  );
}
