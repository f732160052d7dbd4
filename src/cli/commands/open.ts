import type { Io } from "../common/io.ts";
import type { State } from "../../state/index.ts";
import { askForCode } from "../reach-hub/ask-hub.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import { accessHub, accessTerminals } from "../reach-hub/access-hub.ts";
import { findHub, isOwnHub, openOwnState } from "../reach-hub/find-hub.ts";
import type { FoundHub } from "../reach-hub/find-hub.ts";

export const open = defineCommand({
  name: "open",
  summary: "Open the assistant or the console in the browser, signed in.",
  usage: "[assistant|console]",
  positionals: { min: 0, max: 1 },
  options: {
    print: { type: "boolean", summary: "Only print the address, for another browser." },
    ...hubOptions,
  },
  notes: [
    "The address has a code that signs in the first person to open it: it is valid once, for ten minutes. It stays out of the hub's log. The browser stays signed in for 30 days, or until it signs out, or the token is rotated: npx pagewire token rotate",
    "At a hub in jwt mode, PAGEWIRE_TOKEN is your token for agents. With your token for the audience pagewire:terminal in PAGEWIRE_SHELL_KEY, too, the console answers what waits for you.",
    "With --json the address is printed, and nothing is opened.",
  ],
  examples: ["pagewire open", "pagewire open console", "pagewire open --print"],
  async run({ io, printer, values, positionals }) {
    const page = pageOf(positionals[0]);
    const state = openOwnState(io);
    const { url, expiresAt } = await signIn({ hub: findHub(values, io, state), page }, io, state);
    if (printer.json) printer.data({ url, expiresAt: new Date(expiresAt).toISOString() });
    else if (values.print) printer.line(url);
    else {
      io.openInBrowser(url, ({ message }) =>
        printer.note(
          `The browser could not be opened: ${message}. Open the address yourself: npx pagewire open --print`,
        ),
      );
      printer.line(
        `Opens ${new URL(url).origin} in your browser, signed in. If nothing opens: npx pagewire open --print`,
      );
    }
    return 0;
  },
});

const pages = { assistant: "/", console: "/console" } as const;

function pageOf(word: string = "assistant"): string {
  const page = Object.entries(pages).find(([name]) => name === word);
  if (page) return page[1];
  throw usageError(`There is no page "${word}" to open. There are: ${Object.keys(pages).join(", ")}.`);
}

interface SignIn {
  readonly hub: FoundHub;
  readonly page: string;
}

/** Signs in the owner of a hub of this user's, who may change its rules in its pages; else the user of the token. */
async function signIn({ hub, page }: SignIn, io: Io, state: State): ReturnType<typeof askForCode> {
  const asOwner = isOwnHub(hub.url, state) && !io.environment["PAGEWIRE_TOKEN"];
  const owner = asOwner && (await accessTerminals(hub, io, state).catch(() => undefined));
  if (owner) return askForCode(owner, { page, isOwners: true });
  const isPerson = isSigned(io.environment["PAGEWIRE_SHELL_KEY"]);
  const person = isPerson ? (await accessTerminals(hub, io, state)).token : undefined;
  return askForCode(await accessHub(hub, io, state), { page, person });
}

/** Whether this is a JSON Web Token, as hubs in jwt mode take, and no shell key. */
function isSigned(token: string | undefined): boolean {
  return token?.split(".").length === 3;
}
