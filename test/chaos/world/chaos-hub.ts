// The hub of a run: a real process, with its own state directory.
import { setTimeout as pause } from "node:timers/promises";
import { startHub } from "../../e2e/support/hub-process.ts";
import type { HubProcess } from "../../e2e/support/hub-process.ts";
import type { HubFault, PlannedFault } from "../plan.ts";

export interface ChaosHub {
  readonly process: HubProcess;
  suffer(fault: PlannedFault<HubFault>): Promise<void>;
  /** A problem with the process that no fault explains. */
  problem(): string | undefined;
}

export interface ChaosHubOptions {
  readonly port: number;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export async function startChaosHub({ port, args, env = {} }: ChaosHubOptions): Promise<ChaosHub> {
  const hub = await startHub({ port, args: ["--no-demo", ...args], env });

  const acts: Readonly<Record<HubFault, (time: number) => Promise<void>>> = {
    async kill(time) {
      await hub.kill();
      await pause(time);
      await hub.restart();
    },
    async restart(time) {
      await hub.kill("SIGTERM");
      await pause(time);
      await hub.restart();
    },
    async stop(time) {
      await hub.kill("SIGSTOP");
      await pause(time);
      await hub.kill("SIGCONT");
    },
  };

  return {
    process: hub,
    suffer: ({ kind, time }) => acts[kind](time),
    problem() {
      const { exitCode, signalCode } = hub.process;
      if (exitCode === null && signalCode === null) return undefined;
      return `The hub ended by itself (${signalCode ?? exitCode}):\n${hub.output().slice(-2000)}`;
    },
  };
}
