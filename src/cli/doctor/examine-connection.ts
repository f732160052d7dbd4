import { version } from "../../hub/index.ts";
import { WebSocket } from "ws";
import { connectHub } from "../../hub-client/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import type { RefusedOrigin } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { TabInfo } from "../../wire/index.ts";
import { provingOptions } from "../access-hub.ts";
import type { Io } from "../io.ts";
import { exitCodeOfError } from "../exit-codes.ts";
import { examinePages } from "./examine-pages.ts";
import { hint, problem, well } from "./finding.ts";
import type { Finding } from "./finding.ts";

export interface Examined {
  /** The hub's address. */
  readonly hub: string;
  readonly token: string;
  /** Where it proved that it is the hub of the token. */
  readonly access: ProvenHub;
  readonly io: Pick<Io, "environment">;
}

/** Whether the hub takes the token, and which tabs it knows. */
export async function examineConnection(
  { hub: url, token, access, io }: Examined,
  refused: readonly RefusedOrigin[],
): Promise<readonly Finding[]> {
  const agent = { name: "pagewire-doctor", version };
  try {
    const client = await connectHub({ url, token, agent, WebSocket, ...provingOptions(io) });
    try {
      const { demo, findings } = await examinePages(access);
      const tabs = tabFindings(await client.tabs(), refused, demo);
      return [well("connection", "The hub takes the token."), ...findings, ...tabs];
    } finally {
      client.close();
    }
  } catch (error) {
    return [
      problem("connection", `The hub does not let this command in: ${messageOf(error)}`, {
        exitCode: exitCodeOfError(error),
      }),
    ];
  }
}

function tabFindings(
  tabs: readonly TabInfo[],
  refused: readonly RefusedOrigin[],
  demo: string | undefined,
): readonly Finding[] {
  const findings = refused
    .slice(0, 5)
    .map(({ origin, time }) =>
      hint(
        "origins",
        `A page of ${origin} was refused, last at ${new Date(time).toLocaleString()}.`,
        `If you know it, let it with: npx pagewire allow ${origin}`,
      ),
    );
  if (tabs.length === 0) return [...findings, ...noTabs(demo)];
  const away = tabs.filter(({ state }) => state !== "connected");
  return [
    well("tabs", `${tabs.length} ${tabs.length === 1 ? "tab offers" : "tabs offer"} tools.`),
    ...away.map(({ tabId, title, state }) => hint("tabs", `Tab ${tabId} (${title}) is ${state}.`, awayAdvice[state])),
    ...findings,
  ];
}

const awayAdvice: Record<TabInfo["state"], string> = {
  connected: "",
  away: "Its page is loading or has lost its connection; it has a few seconds to come back.",
  suspended: "The browser has suspended it: show the tab.",
  silent: "Its page is connected but busy: it gives no sign of life.",
};

const noTabs = (demo: string | undefined): readonly Finding[] => [
  hint(
    "tabs",
    "No tab offers tools.",
    demo === undefined ? "Open a page that does." : `Open a page that does; the demo is at ${demo}/.`,
  ),
  hint(
    "browser",
    "A page from the internet needs the browser's permission to reach this machine.",
    'Chrome asks for it once ("access other apps and services on this device"): allow it.',
    "Was it denied? Click the icon beside the address, then Site settings, and allow access to the local network.",
    "Such a page must be served over https.",
  ),
];
