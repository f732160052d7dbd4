import { hubUrl, openOwnState, hubAddress } from "../reach-hub/find-hub.ts";
import type { Io } from "../common/io.ts";
import { readTerminalVariables } from "./terminal-variables.ts";

/** A terminal of Pagewire's, as its programs know it. */
export interface Terminal {
  /** The hub's address. */
  readonly url: string;
  /** Good for asking the tab of this terminal to act, and for nothing else. */
  readonly token: string;
  /** The `browser_id` for calls: the terminal's own id, valid in every tab that shows it. */
  readonly browserId: string;
}

/** The terminal that this program runs in; undefined where that is none of Pagewire's. */
export async function readTerminal(io: Io): Promise<Terminal | undefined> {
  const { token, browserId, url } = await readTerminalVariables(io);
  if (token === undefined || browserId === undefined) return undefined;
  const address = hubAddress(url ?? hubUrl(undefined, io, openOwnState(io)));
  return { url: address, token, browserId };
}
