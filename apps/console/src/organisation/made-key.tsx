import { useEffect, useRef } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Button } from "../../../common/src/ui/index.ts";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";

/** A key, in the only answer that has it. */
export interface MadeKeyAnswer {
  readonly name: string;
  readonly key: string;
}

export interface MadeKeyProps {
  readonly made: MadeKeyAnswer;
  readonly note: string;
  readonly onClose: () => void;
}

/** A new key, shown this once. It has the focus, and gives it back to the form above which it stands. */
export function MadeKey({ made: { name, key }, note, onClose }: MadeKeyProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), [key]);
  const close = () => {
    place.current?.parentElement?.querySelector<HTMLElement>("form input")?.focus();
    onClose();
  };
  return (
    <section class="notice info service-key" ref={place} tabIndex={-1} aria-labelledby="new-key-title">
      <h2 id="new-key-title">The key of {shortened(name, 80)}</h2>
      <p role="status">It is shown this once: copy it to where its program reads it. {note}</p>
      <CommandLine text={key} />
      <p>With the key in a file, the command line signs in with it:</p>
      <CommandLine text={`npx pagewire login ${location.origin} --key-file FILE`} />
      <Button onClick={close}>Done</Button>
    </section>
  );
}
