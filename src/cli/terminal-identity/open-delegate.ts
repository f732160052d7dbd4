import { createDelegate } from "../../hub-client/index.ts";
import type { Delegate } from "../../hub-client/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import { provingOptions } from "../reach-hub/access-hub.ts";
import { readTerminal } from "./read-terminal.ts";

/** A client of the tab that shows this terminal; throws with instructions if this is not a Pagewire terminal. */
export async function openDelegate(io: Io): Promise<Delegate> {
  const terminal = await readTerminal(io);
  if (terminal === undefined) throw new PagewireError("terminal-not-found", notOurs);
  return createDelegate({ ...terminal, ...provingOptions(io) });
}

const notOurs =
  "This terminal belongs to no tab. Open one that does with: npx pagewire terminal — or give this one to an open tab, whose id npx pagewire tabs tells: npx pagewire attach-browser <id>";
