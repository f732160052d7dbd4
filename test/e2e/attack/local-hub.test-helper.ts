// A hub in local mode as a process of its own, with one state directory and one token; it accepts the pages of one shop.
import { shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startHub } from "../support/hub-process.ts";
import type { HubOptions, HubProcess } from "../support/hub-process.ts";

export interface LocalHub extends Pick<HubProcess, "url" | "port" | "home" | "process" | "kill" | "output"> {
  /** The agents' token. */
  readonly token: string;
  /** The log records of an event, as JSON. */
  records(event: string): readonly Readonly<Record<string, unknown>>[];
  /** The value of a line of /metrics, such as `pagewire_tabs`. */
  metric(name: string): Promise<number>;
  close(): Promise<void>;
}

export interface LocalHubOptions extends HubOptions {
  /** Whether its log is formatted for people; for programs otherwise. */
  readonly isForPeople?: boolean;
}

export async function startLocalHub(
  args: readonly string[] = ["--no-demo"],
  { isForPeople = false, ...more }: LocalHubOptions = {},
): Promise<LocalHub> {
  const usual = [...(isForPeople ? [] : ["--json"]), "--no-code", "--model", "rehearsal", "--allow-origin", shop];
  const hub = await startHub({ ...more, args: [...usual, ...args] });
  const token = await hub.token();
  return Object.assign(hub, {
    token,
    records(event: string) {
      const lines = hub
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"));
      return lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((record) => record["event"] === event);
    },
    async metric(name: string) {
      const response = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
      const line = (await response.text()).split("\n").find((one) => one.startsWith(`${name} `));
      if (line === undefined) throw new Error(`/metrics has no "${name}": ${response.status}`);
      return Number(line.slice(name.length));
    },
  });
}
