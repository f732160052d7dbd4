import { version } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import { untrusted } from "../certificate-problem.ts";
import { askHealth } from "./ask-health.ts";
import { examineStore } from "./examine-store.ts";
import { hint, problem, well } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { findListener } from "./find-listener.ts";

/** Whether a hub answers at an address, and what else does where none answers. */
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
  if (answer === "nobody") {
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
      "Start the hub anew after an update.",
    ),
  ];
}

async function whoListens(url: string): Promise<string> {
  const { port, protocol } = new URL(url);
  const listener = await findListener(Number(port) || (protocol === "https:" ? 443 : 80));
  return listener === undefined ? "" : `: ${listener}`;
}
