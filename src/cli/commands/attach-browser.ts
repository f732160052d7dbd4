import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import { oneLine } from "../common/plain-text.ts";
import {
  isSafeId,
  isToken,
  readTerminalVariables,
  writeTerminalFile,
} from "../terminal-identity/terminal-variables.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { findHub, openOwnState, hubAddress } from "../reach-hub/find-hub.ts";
import type { HubChoice } from "../reach-hub/find-hub.ts";
import type { Io } from "../common/io.ts";
import { writeSession, findTmuxSession } from "../terminal-identity/tmux.ts";

interface Attached {
  /** The `browser_id` for programs from now on. */
  readonly browserId: string;
  /** The hub's id of the terminal. */
  readonly terminal: string | undefined;
  /** Why the hub does not know of it, where it does not. */
  readonly problem: string | undefined;
}

/** A terminal that the hub knows. */
interface Known {
  readonly terminal: string;
  readonly token: string;
  readonly url: string;
}

/** Attaches the terminal of this program to a tab of a hub. Rejects if the hub has no such tab. */
async function attachTerminal(io: Io, tab: string, choice: HubChoice): Promise<Attached> {
  const { terminal, token, ...words } = await readTerminalVariables(io);
  const state = openOwnState(io);
  const { context, hub = context === undefined ? words.url : undefined } = choice;
  const reach = () => accessHub(findHub({ hub, context }, io, state), io, state);
  const own = words.url === undefined ? undefined : hubAddress(words.url);
  const before = terminal && token && own ? { terminal, token, url: own } : undefined;
  const { known, problem } = await tellHub(reach, before, tab);
  const browserId = known?.terminal ?? tab;
  await keep(io, browserId, known);
  return { browserId, terminal: known?.terminal, problem };
}

interface Told {
  readonly known: Known | undefined;
  readonly problem: string | undefined;
}

/** Errors after which the id is kept anyway: existing programs' scripts work without a hub. */
const noHub: readonly ErrorCode[] = [
  "hub-unreachable",
  "hub-not-proven",
  "token-required",
  "token-invalid",
  "token-expired",
];

async function tellHub(reach: () => Promise<ProvenHub>, before: Known | undefined, tab: string): Promise<Told> {
  try {
    const known = await (before === undefined ? attachNew(await reach(), tab) : attachAgain(reach, before, tab));
    return { known, problem: undefined };
  } catch (error) {
    if (!PagewireError.isInstance(error) || !noHub.includes(error.code)) throw error;
    return { known: before, problem: messageOf(error) };
  }
}

async function attachAgain(reach: () => Promise<ProvenHub>, before: Known, tab: string): Promise<Known> {
  // Its own id names it in every tab.
  if (tab === before.terminal) return before;
  const hub = await reach();
  try {
    await attach(hub, before.terminal, tab);
    return { ...before, url: hub.url };
  } catch (error) {
    // The hub has let it go in the meantime.
    if (PagewireError.isInstance(error) && error.code === "terminal-not-found") return attachNew(hub, tab);
    throw error;
  }
}

async function attachNew(hub: ProvenHub, tab: string): Promise<Known> {
  const { id, token } = await askHub({ ...hub, method: "POST", path: "/api/terminals", body: {} });
  if (!isSafeId(id) || !isToken(token))
    throw new PagewireError("hub-unreachable", `Something answers at ${hub.url}, but not as a hub.`);
  try {
    await attach(hub, id, tab);
  } catch (error) {
    await askHub({ ...hub, method: "DELETE", path: `/api/terminals/${id}` }).catch(() => {});
    throw error;
  }
  return { terminal: id, token, url: hub.url };
}

async function attach(hub: ProvenHub, terminal: string, tab: string): Promise<void> {
  await askHub({ ...hub, method: "POST", path: `/api/terminals/${terminal}/attach`, body: { tab } });
}

async function keep(io: Io, browserId: string, known: Known | undefined): Promise<void> {
  const tmux = findTmuxSession(io.environment);
  const variables = {
    PAGEWIRE_BROWSER_ID: browserId,
    ...(known === undefined
      ? {}
      : {
          PAGEWIRE_TERMINAL: known.terminal,
          PAGEWIRE_TERMINAL_TOKEN: known.token,
          PAGEWIRE_URL: known.url,
        }),
  };
  if (tmux !== undefined && (await writeSession(tmux, variables))) return;
  writeTerminalFile(io, { browserId, ...known });
}

export const attachBrowser = defineCommand({
  name: "attach-browser",
  summary: "Let this terminal's programs act in a tab.",
  usage: "<id>",
  positionals: { min: 1, max: 1, areIds: true },
  options: hubOptions,
  notes: [
    "The id is that of a tab, as pagewire tabs lists them. A terminal that a tab shows needs none of this: it belongs to the tab that showed it last. In tmux the id is kept for all of a session's panes, and for no other session's.",
  ],
  examples: ["pagewire attach-browser Xb3fQ0aZ19kLmN2c"],
  async run({ io, printer, values, positionals: [id = ""] }) {
    if (!isSafeId(id)) {
      const problem = `"${oneLine(id, 60)}" is not the id of a tab: one word of letters, digits, dots, dashes and underscores.`;
      throw usageError(`${problem} Write: npx pagewire attach-browser <id>`);
    }
    const { browserId, terminal, problem } = await attachTerminal(io, id, values);
    if (printer.json) printer.data({ browserId, terminal, problem });
    else if (problem !== undefined) printer.note(`The id is saved, but the hub could not be notified: ${problem}`);
    return 0;
  },
});
