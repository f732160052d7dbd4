import type { State } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { findPty, findTmux } from "../../terminal/index.ts";
import type { FindPtyOptions } from "../../terminal/index.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import type { Io } from "../common/io.ts";
import { howToInstall } from "../run-hub/mount-terminals.ts";
import { hint, problem, well } from "./finding.ts";
import type { Finding } from "./finding.ts";

export interface TerminalsExamination {
  readonly url: string;
  readonly token: string;
  readonly io: Pick<Io, "environment" | "platform">;
  readonly state: Pick<State, "shellKey">;
  /** Loads the package that opens pseudo terminals. */
  readonly loadPty?: FindPtyOptions["loadPty"];
}

/** Whether the hub has terminals, and whether this machine has the programs that they need. */
export async function examineTerminals(examination: TerminalsExamination): Promise<readonly Finding[]> {
  const { url, token, io, state, loadPty } = examination;
  const about = askHub({ url, token, method: "GET", path: "/api/app" });
  // An older hub does not report this; another finding covers its version.
  const { terminals, mode, terminalFetch } = await about.catch((): JsonObject => ({}));
  if (typeof terminals !== "boolean") return [];
  if (!terminals) {
    const how = "Switch them on with: npx pagewire terminal, or start the hub with: npx pagewire hub --terminal";
    const off = well("terminals", `Terminals are off. ${how}`);
    return [off, await ptyFinding(io, loadPty)];
  }
  const on = well("terminals", "Terminals are on. Open one with: npx pagewire terminal");
  return [
    on,
    ...fetchFinding(terminalFetch),
    ...(mode === "local" ? keyFinding(state) : []),
    ...(await examineShells({ io, loadPty })),
  ];
}

/** The origins that programs may fetch from; an older hub does not report them. */
function fetchFinding(origins: unknown): readonly Finding[] {
  if (!Array.isArray(origins)) return [];
  const what =
    origins.length === 0
      ? "nothing. To let them: npx pagewire hub --terminal --terminal-fetch ORIGIN"
      : `from ${origins.join(", ")}, once you allow it there.`;
  return [well("terminals", `Through the hub's terminal page, programs can fetch ${what}`)];
}

/** Whether this machine has the programs that terminals need. */
export async function examineShells({
  io,
  loadPty,
}: Pick<TerminalsExamination, "io" | "loadPty">): Promise<readonly Finding[]> {
  return [await ptyFinding(io, loadPty), await tmuxFinding(io)];
}

async function ptyFinding({ platform }: Pick<Io, "platform">, loadPty: FindPtyOptions["loadPty"]): Promise<Finding> {
  try {
    await findPty({ loadPty, install: (name) => howToInstall(name, { platform }) });
    return well("terminals", "Pseudo terminals can be opened here.");
  } catch (error) {
    return hint("terminals", messageOf(error));
  }
}

function keyFinding(state: Pick<State, "shellKey">): readonly Finding[] {
  try {
    state.shellKey();
    return [];
  } catch (error) {
    return [problem("terminals", messageOf(error), { exitCode: 4 })];
  }
}

async function tmuxFinding({ environment }: Pick<Io, "environment">): Promise<Finding> {
  const { PATH = "" } = environment;
  const tmux = await findTmux(true, { PATH });
  if (tmux !== undefined) return well("terminals", "There is tmux: shells outlive the hub.");
  return hint(
    "terminals",
    "There is no tmux of version 3.2 or newer: a shell ends with the hub.",
    "For shells that outlive it, install tmux, and start the hub again.",
  );
}
