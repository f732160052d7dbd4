import { usageError } from "../command.ts";

/** One line of git's config. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: string;
}

export interface EntryChoices {
  /** What git is to run. */
  readonly helper: string;
  /** The host, or a part of it, that it is for; all by default. */
  readonly host: string | undefined;
  /** Whether repositories of one host have accounts of their own. */
  readonly useHttpPath: boolean;
}

/** What git's config has to say. The helper comes first. */
export function entriesFor({ helper, host, useHttpPath }: EntryChoices): readonly [ConfigEntry, ...ConfigEntry[]] {
  const section = host === undefined ? "credential" : `credential.${addressOf(host)}`;
  const first = { key: `${section}.helper`, value: helper };
  return useHttpPath ? [first, { key: `${section}.useHttpPath`, value: "true" }] : [first];
}

/** The entries as git's config file has them. */
export function configText(entries: readonly [ConfigEntry, ...ConfigEntry[]]): string {
  const [, host] = /^credential\.(.+)\.[^.]+$/.exec(entries[0].key) ?? [];
  const lines = entries.map(({ key, value }) => `\t${key.slice(key.lastIndexOf(".") + 1)} = ${quoted(value)}`);
  return [host === undefined ? "[credential]" : `[credential ${quoted(host)}]`, ...lines].join("\n");
}

function quoted(text: string): string {
  return /^[\w.]+$/.test(text) ? text : `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/** The address as git compares it with those that it asks for. */
function addressOf(host: string): string {
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw usageError(`--host must be an address such as https://git.example.com, not "${host}".`);
  }
  if (url.password) throw usageError("--host must not hold a password: it would stand in git's config.");
  const user = url.username && `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname.replace(/\/+$/, "")}`;
}
