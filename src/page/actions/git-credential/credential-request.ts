import { isLoopbackHost, showInvisible } from "../../../wire/index.ts";
import { actionRefused } from "../registration/action.ts";

/**
 * Another helper peeks at what is remembered, without a question. The last three belong to a sign-in on the host's own page, whose
 * progress it reports.
 */
export const operations = [
  "get",
  "peek",
  "store",
  "erase",
  "device_flow_show",
  "device_flow_done",
  "device_flow_error",
] as const;

/** The use of a credential, in git's fields. */
export interface CredentialTarget {
  readonly protocol: string;
  /** Includes the port unless it is the default; empty if the path is the whole address. */
  readonly host: string;
  /** Missing unless git is configured to use it. */
  readonly path: string | undefined;
  /** Missing where git does not know it; empty where there is none. */
  readonly username: string | undefined;
}

/** A request of git's helper to the tab. */
export interface CredentialRequest {
  readonly operation: (typeof operations)[number];
  readonly target: CredentialTarget;
  readonly password: string | undefined;
  /** The command that git runs for, and the repository that it runs in, as the helper found them. */
  readonly command: string | undefined;
  readonly repository: string | undefined;
  /** Why a sign-in failed. */
  readonly error?: string | undefined;
}

/** Parses the arguments of a call. Refuses invisible characters in the text that the user has to check. */
export function readRequest(input: Record<string, unknown>): CredentialRequest {
  const protocol = visibleText(input, "protocol") ?? "";
  const host = visibleText(input, "host") ?? "";
  const path = visibleText(input, "path");
  const username = visibleText(input, "username");
  const operation = operations.find((known) => known === input["operation"]);
  if (operation === undefined) throw actionRefused(`The operation must be one of ${operations.join(", ")}.`);
  if (protocol === "" || !(host || path))
    throw actionRefused("A protocol and a host are needed: whose password is it?");
  if (!/^[a-z][a-z\d+.-]*$/i.test(protocol)) throw actionRefused("The protocol is none.");
  if (host !== "" && askedHost(host) === undefined) throw actionRefused("The host is none.");
  return {
    operation,
    target: { protocol: protocol.toLowerCase(), host: host.toLowerCase(), path, username },
    password: textOf(input, "password"),
    command: shown(textOf(input, "command")),
    repository: shown(textOf(input, "repository")),
    error: shown(textOf(input, "error")),
  };
}

/** Max characters of one value: longer ones cannot be checked by reading. */
const longestVisible = 4096;
const longestShown = 600;

/** A value that the user decides by, and under which the answer is stored. */
export function visibleText(input: Record<string, unknown>, name: string): string | undefined {
  const text = textOf(input, name);
  if (text === undefined) return undefined;
  if (text.length > longestVisible) throw actionRefused(`The ${name} has more than ${longestVisible} characters.`);
  if (showInvisible(text) === text && !/[\n\t]/.test(text)) return text;
  throw actionRefused(`The ${name} holds characters that cannot be seen.`);
}

/** A value that is only displayed: on one line, truncated, with invisible characters escaped. */
function shown(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const line = text.slice(0, longestShown).replaceAll(/\s/g, " ");
  return showInvisible(text.length > longestShown ? `${line}…` : line);
}

function textOf(input: Record<string, unknown>, name: string): string | undefined {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || typeof value === "string") return value;
  throw actionRefused(`"${name}" must be text.`);
}

/** Normalizes a host, with its port if present, as browsers and git request it; undefined if invalid. */
function askedHost(host: string): string | undefined {
  const [, name = "", port = ""] = /^([^\s/\\?#@]+?)(:\d{1,5})?$/.exec(host) ?? [];
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname + port : undefined;
}

/** The host for display, followed by its normalized form where that differs. */
export function hostOf(target: CredentialTarget): string {
  const { host } = target;
  if (host === "") return placeOf(target);
  const asked = askedHost(host);
  return asked === undefined || asked === host ? host : `${host} (${asked})`;
}

/** The address for display: protocol, host and, where git sends it, the path. */
export function placeOf(target: CredentialTarget): string {
  const { protocol, host, path } = target;
  return host === "" ? `${protocol}: ${path ?? ""}` : `${protocol}://${hostOf(target)}${path ? `/${path}` : ""}`;
}

/** Whether the password would travel unencrypted. */
export function isReadByOthers({ protocol, host }: CredentialTarget): boolean {
  return protocol === "http" && !isLoopbackHost(new URL(`http://${host}`));
}
