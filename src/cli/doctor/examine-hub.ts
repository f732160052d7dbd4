import { rewritingsOf, version } from "../../hub/index.ts";
import type { State, RefusedOrigin } from "../../state/index.ts";
import { untrusted, sendOverHttp } from "../reach-hub/send-over-http.ts";
import { askHealth, readStart } from "../reach-hub/ask-health.ts";
import { hint, problem, well, warning } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { findListener } from "../reach-hub/find-listener.ts";
import { oneLine } from "../common/plain-text.ts";
import { WebSocket } from "ws";
import { connectHub } from "../../hub-client/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { TabInfo, Tool } from "../../wire/index.ts";
import { provingOptions } from "../reach-hub/access-hub.ts";
import type { Io } from "../common/io.ts";
import { exitCodeOfError } from "../common/exit-codes.ts";
import { askHub } from "../reach-hub/ask-hub.ts";

interface Examined {
  /** The hub's address. */
  readonly hub: string;
  readonly token: string;
  /** The address at which it proved that it is the hub of the token. */
  readonly access: ProvenHub;
  readonly io: Pick<Io, "environment">;
}

/** Whether the hub accepts the token, and its list of tabs. */
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
      const tools = toolFindings((await client.offer()).tools);
      return [well("connection", "The hub takes the token."), ...findings, ...tabs, ...tools];
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

/** Tools with schemas that a model's vendor refuses. */
function toolFindings(tools: readonly Tool[]): readonly Finding[] {
  const found = tools.filter(({ inputSchema }) => rewritingsOf(inputSchema).length > 0).map(({ name }) => name);
  if (found.length === 0) return [];
  const named = oneLine(found.slice(0, 5).join(", "));
  const more = found.length > 5 ? ` and ${found.length - 5} more` : "";
  const message = `Schemas have parts that vendors of models refuse, and some programs get them otherwise: ${named}${more}.`;
  return [hint("tools", message, "How, says: npx pagewire tools")];
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
    "Pages of your own browser, without a script in them, come through its extension: npx pagewire extension",
  ),
  hint(
    "browser",
    "A page from the internet needs the browser's permission to reach this machine.",
    'Chrome asks for it once ("access other apps and services on this device"): allow it.',
    "Was it denied? Click the icon beside the address, then Site settings, and allow access to the local network.",
    "Such a page must be served over https.",
  ),
];

/** Whether the hub serves its own pages, and the address of its demo. */
export async function examinePages(
  hub: ProvenHub,
): Promise<{ readonly demo: string | undefined; readonly findings: readonly Finding[] }> {
  try {
    const answer = await askHub({ ...hub, method: "GET", path: "/api/app" });
    const demo = typeof answer["demo"] === "string" ? answer["demo"] : undefined;
    const opened = "The hub has pages of its own. Open them, signed in, with: npx pagewire open";
    const found = well("pages", demo === undefined ? opened : `${opened}. The demo is at ${demo}/.`);
    return { demo, findings: [found] };
  } catch (error) {
    const message = `The hub says nothing of its own pages: ${messageOf(error)}`;
    return { demo: undefined, findings: [hint("pages", message, "Restart the hub after an update.")] };
  }
}

const answerTime = 3000;

/** Reports a hub whose store fails. */
async function examineStore(url: string): Promise<readonly Finding[]> {
  const target = new URL("readyz", url.replace(/^ws/, "http").replace(/\/?$/, "/"));
  const answer = await sendOverHttp(target, { timeout: answerTime })
    .then(readStart)
    .catch(() => "");
  const [match, why = ""] = /^ready\nnothing can be saved(: .*)?\n$/.exec(answer) ?? [];
  if (match === undefined) return [];
  const advice = "The hub's log says where. It goes on by itself once that is put right.";
  return [warning("store", `The hub cannot save anything at the moment${oneLine(why, 200)}.`, advice)];
}

/** Whether a hub answers at an address; if not, what else answers there. */
export async function examineHub(url: string, state: State): Promise<readonly Finding[]> {
  if (!URL.canParse(url) || !/^(http|ws)s?:$/.test(new URL(url).protocol))
    return [problem("hub", `"${url}" is not the address of a hub.`, { exitCode: 2 })];
  const answer = await askHealth(url);
  const running = state.runningHub();
  if (answer === "hub") {
    const which = running?.url === url ? ` (process ${running.pid}, version ${running.version})` : "";
    return [
      well("hub", `A hub answers at ${url}${which}.`),
      ...(await examineStore(url)),
      ...versionFinding(running?.url === url ? running.version : version),
    ];
  }
  if (answer === "nothing") {
    return [problem("hub", `Nobody answers at ${url}.`, { advice: whereElse(url, running?.url), exitCode: 3 })];
  }
  if (answer.startsWith(untrusted)) return [problem("hub", `Something answers at ${url}. ${answer}`, { exitCode: 3 })];
  return [
    problem("hub", `Something answers at ${url}, but it is no hub${await whoListens(url)}.`, {
      advice: ["End that program, or start the hub on another port: npx pagewire --port 7338", answer],
      exitCode: 3,
    }),
  ];
}

function whereElse(url: string, running: string | undefined): readonly string[] {
  if (running === undefined) return ["Start the hub with: npx pagewire"];
  return running === url
    ? ["The hub's process runs but does not answer. End it and start it again: npx pagewire"]
    : [`A hub runs at ${running}: leave out --hub and PAGEWIRE_URL to use that one.`];
}

function versionFinding(hubVersion: string): readonly Finding[] {
  if (hubVersion === version) return [];
  return [
    hint(
      "version",
      `The hub is version ${hubVersion}, this command is ${version}.`,
      "Restart the hub after an update.",
    ),
  ];
}

async function whoListens(url: string): Promise<string> {
  const { port, protocol } = new URL(url);
  const listener = await findListener(Number(port) || (protocol === "https:" ? 443 : 80));
  return listener === undefined ? "" : `: ${listener}`;
}
