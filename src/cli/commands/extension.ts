import { existsSync } from "node:fs";
import { join } from "node:path";
import { PagewireError } from "../../wire/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import type { State } from "../../state/index.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import type { Io } from "../common/io.ts";
import { ownInstallation } from "../connect/launch.ts";
import { accessHub, accessTerminals } from "../reach-hub/access-hub.ts";
import { askHealth } from "../reach-hub/ask-health.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { namedHub } from "../reach-hub/find-hub.ts";
import type { FoundHub, HubChoice } from "../reach-hub/find-hub.ts";
import { controlHub, startHub } from "../run-hub/background-hub.ts";
import type { HubControl } from "../run-hub/background-hub.ts";
import { copyByTerminal } from "./copy-to-clipboard.ts";

const options = {
  code: { type: "boolean", summary: "Only print the line to paste into the extension." },
  copy: { type: "boolean", summary: "Put that line into the clipboard, too." },
  ...hubOptions,
} as const satisfies OptionSpecs;

export const extension = defineCommand({
  name: "extension",
  summary: "Offer your own browser's pages: load the extension, and pair it.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options,
  notes: [
    "With the extension, agents use the tools of pages that you allow in the browser that you are signed in to, without a script in the page. You allow each site in the browser.",
    "The line to paste has the hub's address and a code, which pairs one browser, once, within ten minutes. A browser stays paired until it is removed, or until the token is rotated, which ends all: npx pagewire browsers, npx pagewire token rotate. In jwt mode it is paired for as long as the hub's tokens may be good at most, by default 30 days.",
    "If no hub runs here, one is started in the background. At a hub in jwt mode, PAGEWIRE_TOKEN is your token for agents.",
  ],
  examples: ["pagewire extension", "pagewire extension --code", "pagewire extension --copy"],
  run: ({ io, printer, values }) => controlHub({ io, printer }, (control) => showExtension(control, values)),
});

type Values = CommandContext<typeof options>["values"];

async function showExtension(control: HubControl, values: Values): Promise<void> {
  const { io, printer } = control;
  if (values.code && printer.json) throw usageError("Write --code or --json, not both.");
  const hub = await accessAsOwner(await hubOf(control, values), io, control.state);
  const { line, expiresAt } = await askForBrowserCode(hub);
  const places = findExtension();
  if (printer.json) return printer.data({ line, expiresAt: new Date(expiresAt).toISOString(), ...places });
  if (!values.code) for (const step of stepsFor(places)) printer.line(step);
  printer.line(values.code ? line : `   ${line}`);
  if (!values.copy) return;
  const isCopied = await copyByTerminal(io, line);
  printer.note(isCopied ? "The line is in the clipboard." : "This terminal has no clipboard. Copy the line yourself.");
}

/** The hub that was named, else the one that runs here, else one that is started. */
async function hubOf(control: HubControl, choice: HubChoice): Promise<FoundHub> {
  const { io, printer, state } = control;
  const named = namedHub(choice, io, state);
  if (named !== undefined) return named;
  const running = state.runningHub()?.url;
  if (running !== undefined && (await askHealth(running)) === "hub") return { url: running };
  const { url } = await startHub(control, { arguments: [], folder: process.cwd() });
  if (!printer.json) printer.note(`Started a hub in the background at ${url}. End it with: npx pagewire stop`);
  return { url };
}

/** By the owner's key; where the hub has no owner, or is in jwt mode, by the token for agents. */
async function accessAsOwner(hub: FoundHub, io: Io, state: State): Promise<ProvenHub> {
  const isSigned = io.environment["PAGEWIRE_TOKEN"]?.split(".").length === 3;
  const owner = isSigned ? undefined : await accessTerminals(hub, io, state).catch(() => undefined);
  return owner ?? accessHub(hub, io, state);
}

interface BrowserCode {
  /** The hub's address with the code, as the extension takes it. */
  readonly line: string;
  readonly expiresAt: number;
}

async function askForBrowserCode(hub: ProvenHub): Promise<BrowserCode> {
  const answer = await askHub({ ...hub, method: "POST", path: "/api/browser-codes" }).catch((error: unknown) => {
    if (!PagewireError.isInstance(error) || error.code !== "route-not-found") throw error;
    const message = `The hub at ${hub.url} is older than this command, and pairs no browsers. Start it again with: npx pagewire restart`;
    throw new PagewireError("route-not-found", message, { cause: error });
  });
  const { code, expiresAt } = answer;
  if (typeof code !== "string" || typeof expiresAt !== "number")
    throw new PagewireError("hub-unreachable", `Something answers at ${hub.url}, but not as a hub.`);
  // By the name that the hub is known by here.
  return { line: `${new URL(hub.url).origin}#${code}`, expiresAt };
}

/** The folders to load, and the files for stores. */
interface Places {
  readonly chrome: string;
  readonly firefox: string;
  readonly chromeZip: string;
  readonly firefoxZip: string;
  readonly isBuilt: boolean;
}

function findExtension(): Places {
  const folder = join(ownInstallation().root, "dist", "extension");
  const zip = (name: string) => join(folder, `pagewire-extension-${name}.zip`);
  const [chrome, firefox] = [join(folder, "chrome"), join(folder, "firefox")];
  const isBuilt = existsSync(join(chrome, "manifest.json"));
  return { chrome, firefox, chromeZip: zip("chrome"), firefoxZip: zip("firefox"), isBuilt };
}

function stepsFor({ chrome, firefox, chromeZip, isBuilt }: Places): readonly string[] {
  const missing = ["   It is not in this copy of Pagewire yet. Make it with: npm run build", ""];
  return [
    "1. Load the extension, once in each browser:",
    "   Chrome, Edge, Brave: open chrome://extensions, switch on Developer mode, choose Load unpacked and this folder:",
    `     ${chrome}`,
    "   Firefox, until it ends: open about:debugging#/runtime/this-firefox, choose Load Temporary Add-on and this file:",
    `     ${join(firefox, "manifest.json")}`,
    `   As one file: ${chromeZip}`,
    ...(isBuilt ? [""] : missing),
    "2. Click its button in the browser, and paste this line there within ten minutes. It pairs one browser, once:",
  ];
}
