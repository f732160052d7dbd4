import { useId, useState } from "preact/hooks";
import { showInvisible } from "pagewire/wire";
import { Button } from "../../../common/src/ui/button.tsx";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import { TextField } from "../../../common/src/ui/fields.tsx";
import type { Settings } from "pagewire/extension";
import { browserName } from "./browser-name.ts";
import type { Store } from "./open-store.ts";
import { isPrivate } from "./is-private.ts";
import { parsePairing } from "./parse-pairing.ts";
import type { Pairing } from "./parse-pairing.ts";
import { ProblemLine } from "./problem-line.tsx";
import { useSending } from "./use-sending.ts";

export interface PairFormProps {
  readonly store: Store;
  /** The name that this browser had; a fitting one by default. */
  readonly name?: string | undefined;
  /** The command that prints the line. */
  readonly command?: string | undefined;
  readonly onPaired?: () => void;
}

export const pairingCommand = "npx pagewire extension";

/** Pairs this browser with a hub, by one line that the hub's command prints. */
export function PairForm({ store, name = browserName(navigator), command = pairingCommand, onPaired }: PairFormProps) {
  const id = useId();
  const [pasted, paste] = useState("");
  const [browser, setBrowser] = useState(name);
  const [faults, setFaults] = useState<{ readonly pasted?: string; readonly browser?: string }>({});
  const { isBusy, problem, send } = useSending(store);
  /** The pasted line whose warnings the person has seen. */
  const [read, setRead] = useState("");
  const warnings = warningsOf(store.settings.value, parsePairing(pasted));
  const isWarned = read !== "" && read === pasted;

  async function pair(): Promise<void> {
    const pairing = parsePairing(pasted);
    const named = browser.trim();
    setFaults({
      ...(!pairing && { pasted: notPairing }),
      ...(named === "" && { browser: "Give this browser a name." }),
    });
    if (!pairing || named === "") return;
    if (warnings.length > 0 && !isWarned) return setRead(pasted);
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
      <CommandLine text={showInvisible(command)} />
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
      <div class="stack" role="status">
        {isWarned &&
          warnings.map((warning) => (
            <p key={warning} class="notice warn">
              {warning}
            </p>
          ))}
      </div>
      <ProblemLine text={problem} />
      <Button type="submit" kind="strong" busy={isBusy}>
        {isWarned && warnings.length > 0 ? "Pair all the same" : "Pair"}
      </Button>
    </form>
  );
}

/** Warnings before this browser is paired with a hub. */
function warningsOf(settings: Settings | undefined, pairing: Pairing | undefined): readonly string[] {
  if (!pairing) return [];
  const { address } = pairing;
  const { hub, allowed = [] } = settings ?? {};
  const isOther = hub !== undefined && hub.address !== address;
  const sites = `${allowed.length} ${allowed.length === 1 ? "site that you always allow goes" : "sites that you always allow go"}`;
  return [
    ...(isPrivate(address)
      ? []
      : [
          `${address} is on another computer and not encrypted: others on the way can read and change all that is sent.`,
        ]),
    ...(isOther && allowed.length > 0 ? [`${sites} to ${address} then, in place of ${hub.address}.`] : []),
  ];
}

const notPairing = "Paste the whole line: the hub's address, “#” and the code.";
