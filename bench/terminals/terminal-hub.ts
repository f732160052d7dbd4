import { join } from "node:path";
import { createHub } from "pagewire/hub";
import { createTerminalDoor } from "pagewire/terminal/server";
import type { Parameters, Started } from "../harness/role.ts";
import { benchLimits } from "../hubs/bench-limits.ts";
import { environmentIn } from "./terminal-home.ts";

/** Pagewire's hub with terminals, as they are published; the agents' token is also the key for terminals. */
export async function startTerminalHub({ agentToken = "", shell }: Parameters): Promise<Started> {
  if (!shell) throw new Error("A hub with terminals is told where its shells are at home.");
  const { home, inTmux } = shell;
  const mount = createTerminalDoor({
    stateDirectory: join(home, "state"),
    klangk: false,
    cli: [process.execPath],
    environment: environmentIn(home),
    tmux: inTmux,
  });
  const hub = await createHub({
    port: 0,
    agentToken: () => agentToken,
    shell: { mount, key: () => agentToken },
    limits: benchLimits,
  });
  return { port: hub.port };
}
