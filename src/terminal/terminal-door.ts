import type { MountShell } from "../hub/index.ts";
import { systemClock } from "../link/index.ts";
import { messageOf } from "../wire/index.ts";
import { serveView } from "./serve-view.ts";
import { createShellRecords } from "./shell/shell-records.ts";
import { createShells } from "./shells.ts";
import type { TerminalDoorOptions } from "./shells.ts";
import { createTerminalKeeper } from "./terminal-keeper.ts";

/** Serves terminals in a hub: pass it to `createHub` as `shell.mount`. */
export function createTerminalDoor(options: TerminalDoorOptions): MountShell {
  const { stateDirectory, klangk } = options;
  const clock = systemClock;
  return (host) => {
    async function start() {
      const records = createShellRecords(stateDirectory);
      const shells = await createShells(options, records.folder, clock);
      const keeper = createTerminalKeeper({ host, shells, records, klangk, clock });
      // Revokes the tokens of terminals that ended while no hub was running.
      await keeper.review();
      return { keeper, inTmux: shells.inTmux };
    }
    const ready = start();
    ready.catch((error: unknown) => host.note("error", "terminals-unavailable", { message: messageOf(error) }));
    return {
      serve: (visit) => serveView(visit, { host, clock, ready }),
      review() {
        ready
          .then(({ keeper }) => keeper.review())
          .catch((error: unknown) => host.note("error", "terminals-not-reviewed", { message: messageOf(error) }));
      },
      async close() {
        await ready.then(
          ({ keeper }) => keeper.close(),
          () => {},
        );
      },
    };
  };
}
