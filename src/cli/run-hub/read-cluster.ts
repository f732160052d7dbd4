import { readFileSync } from "node:fs";
import type { HubOptions } from "../../hub/index.ts";
import { usageError } from "../common/command.ts";
import type { OptionValues } from "../common/command.ts";
import type { Io } from "../common/io.ts";
import { hubDatabase } from "./hub-store.ts";
import type { hubRunOptions } from "./hub-run-options.ts";

type Values = Pick<OptionValues<typeof hubRunOptions>, "nats" | "nats-creds" | "cluster" | "database" | "hub-name">;

/** This hub's name, for people; undefined for the machine's. */
export function hubNameOf(io: Pick<Io, "environment">, { "hub-name": given }: Pick<Values, "hub-name">) {
  return given ?? (io.environment["PAGEWIRE_HUB_NAME"] || undefined);
}

/** The options that make a hub one of several; undefined for a hub alone. */
export function readCluster(io: Pick<Io, "environment">, values: Values): HubOptions["cluster"] {
  const { environment } = io;
  const nats = values.nats ?? (environment["PAGEWIRE_NATS"] || undefined);
  if (nats === undefined) {
    const given = (["cluster", "nats-creds"] as const).find((name) => values[name] !== undefined);
    if (given !== undefined) throw usageError(`--${given} is for several hubs: give --nats too.`);
    return undefined;
  }
  // Of a key that was used at one hub the others must know.
  if (!/^postgres(ql)?:/.test(hubDatabase({ io, stateDirectory: "", database: values.database })))
    throw usageError(
      "Hubs that share pages need a database that they share: give --database postgres://… with --nats.",
    );
  const name = values.cluster ?? (environment["PAGEWIRE_CLUSTER"] || undefined);
  const file = values["nats-creds"] ?? (environment["PAGEWIRE_NATS_CREDS"] || undefined);
  const hubName = hubNameOf(io, values);
  return {
    nats,
    ...(name === undefined ? {} : { name }),
    ...(hubName === undefined ? {} : { hubName }),
    ...(file === undefined ? {} : { credentials: () => readFileSync(file) }),
  };
}
