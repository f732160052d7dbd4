import { useId, useState } from "preact/hooks";
import { Button } from "../../../common/src/ui/button.tsx";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import { TextField } from "../../../common/src/ui/fields.tsx";
import { browserName } from "./browser-name.ts";
import type { Store } from "./open-store.ts";
import { parsePairing } from "./parse-pairing.ts";
import { ProblemLine } from "./problem-line.tsx";
import { useSending } from "./use-sending.ts";

export interface PairFormProps {
  readonly store: Store;
  /** The name that this browser had; a fitting one by default. */
  readonly name?: string | undefined;
  readonly onPaired?: () => void;
}

/** Pairs this browser with a hub, by one line that the hub's command prints. */
export function PairForm({ store, name = browserName(navigator), onPaired }: PairFormProps) {
  const id = useId();
  const [pasted, paste] = useState("");
  const [browser, setBrowser] = useState(name);
  const [faults, setFaults] = useState<{ readonly pasted?: string; readonly browser?: string }>({});
  const { isBusy, problem, send } = useSending(store);

  async function pair(): Promise<void> {
    const pairing = parsePairing(pasted);
    const named = browser.trim();
    setFaults({
      ...(!pairing && { pasted: notPairing }),
      ...(named === "" && { browser: "Give this browser a name." }),
    });
    if (!pairing || named === "") return;
    const reply = await send({ type: "pair", ...pairing, browser: named });
    if (reply.ok) onPaired?.();
  }

  return (
    <form
      class="stack"
      aria-labelledby={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void pair();
      }}
    >
      <h2 id={id}>Pair this browser</h2>
      <p class="hint">Run this in a terminal, and paste the line that it prints:</p>
      <CommandLine text="npx pagewire extension" />
      <TextField
        label="Address and code"
        value={pasted}
        onValue={paste}
        placeholder="http://127.0.0.1:7337#CODE"
        error={faults.pasted}
        autocomplete="off"
        spellcheck={false}
        autofocus
      />
      <TextField
        label="Name of this browser"
        hint="Agents see it beside each page. With several profiles, name each of them."
        value={browser}
        onValue={setBrowser}
        error={faults.browser}
        maxLength={60}
        autocomplete="off"
      />
      <ProblemLine text={problem} />
      <Button type="submit" kind="strong" busy={isBusy}>
        Pair
      </Button>
    </form>
  );
}

const notPairing = "Paste the whole line: the hub's address, “#” and the code.";
