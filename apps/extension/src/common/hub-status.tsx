import type { PairedHub, ShownHub } from "pagewire/extension";
import { showInvisible } from "pagewire/wire";
import { Dot } from "../../../common/src/ui/badge.tsx";
import type { Tone } from "../../../common/src/ui/badge.tsx";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import { Address } from "./address.tsx";

const tones: Readonly<Record<ShownHub["status"], Tone>> = {
  unpaired: "plain",
  idle: "ok",
  connected: "ok",
  away: "wait",
  refused: "bad",
};

const titles: Readonly<Record<ShownHub["status"], string>> = {
  unpaired: "Not paired",
  idle: "Paired",
  connected: "Connected",
  away: "The hub is away",
  refused: "The hub refuses this browser",
};

export interface HubStatusProps {
  readonly hub: PairedHub;
  /** Missing until the worker has written it. */
  readonly shown: ShownHub | undefined;
}

/** The hub in one line, and what helps where something is wrong with it. */
export function HubStatus({ hub, shown }: HubStatusProps) {
  const { status, message, command }: ShownHub = shown ?? { status: "idle", message: "" };
  const isWell = status === "connected" || status === "idle";
  return (
    <div class="stack hub" role="status">
      <p class="row">
        <Dot tone={tones[status]} />
        <strong>{titles[status]}</strong>
        <span class="hint cut">
          <Address origin={hub.address} />
        </span>
      </p>
      {!isWell && message !== "" && <p class="hint">{showInvisible(message)}</p>}
      {!isWell && command !== undefined && <CommandLine text={showInvisible(command)} />}
    </div>
  );
}
