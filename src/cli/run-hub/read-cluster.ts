import { readFileSync } from "node:fs";
import type { HubOptions } from "../../hub/index.ts";
import { usageError } from "../common/command.ts";
import type { OptionValues } from "../common/command.ts";
import type { Io } from "../common/io.ts";
import { hubDatabase } from "./hub-store.ts";
import type { hubRunOptions } from "./hub-run-options.ts";

type Values = Pick<OptionValues<typeof hubRunOptions>, "nats" | "nats-creds" | "cluster" | "database">;

/** The options that make a hub one of several; undefined for a hub alone. */
export function readCluster(io: Pick<Io, "environment">, values: Values): HubOptions["cluster"] {
  const { "nats-creds": file, cluster: name, database } = values;
  const nats = values.nats ?? (io.environment["PAGEWIRE_NATS"] || undefined);
  if (nats === undefined) {
    if (file !== undefined || name !== undefined)
      throw usageError(`--${file === undefined ? "cluster" : "nats-creds"} is for several hubs: give --nats too.`);
    return undefined;
  }
  // Of a key that was used at one hub the others must know.
  if (!/^postgres(ql)?:/.test(hubDatabase({ io, stateDirectory: "", database })))
    throw usageError(
      "Hubs that share pages need a database that they share: give --database postgres://… with --nats.",
    );
  const names = name === undefined ? {} : { name };
  return { nats, ...names, ...(file === undefined ? {} : { credentials: () => readFileSync(file) }) };
}
