import { PagewireError } from "../../wire/index.ts";

/** The other hubs: all that share a NATS server and a name know each other's tabs. They need a database that they share, too. */
export interface ClusterOptions {
  /** The addresses of NATS servers, separated by commas: nats:// or tls://, with a user and password or a token if they need them. */
  readonly nats: string;
  /** The contents of a NATS credentials file. */
  readonly credentials?: () => Uint8Array;
  /** The name of the cluster on these servers; "default" by default. */
  readonly name?: string;
  /** This hub's name, for people; by default the machine's, with the port. */
  readonly hubName?: string;
}

export function checkCluster({ name = "default" }: ClusterOptions): void {
  if (/^[\w-]{1,64}$/.test(name)) return;
  throw new PagewireError("options-invalid", `A cluster's name has letters, digits, - and _ only, not "${name}".`);
}
