// The file of team mode: the identity providers, and where the secrets are.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ProviderOptions, TeamOptions } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";
import { nearest } from "../common/nearest.ts";
import type { Io } from "../common/io.ts";
import { readSecretFile } from "./security-options.ts";

interface TeamValues {
  readonly team: string | undefined;
  readonly "jwt-secret-file": string | undefined;
  readonly jwks: string | undefined;
}

/** Undefined when team mode is off. */
export function readTeamOptions(
  values: TeamValues,
  io: Pick<Io, "environment">,
  state: State,
): TeamOptions | undefined {
  const { team: path, jwks, "jwt-secret-file": jwtSecret } = values;
  if (path === undefined) return undefined;
  if (jwks !== undefined || jwtSecret !== undefined) throw usageError("Give --team, or the options of jwt mode.");
  const { providers, secretFile, settings } = readFile(path);
  const beside = (file: string) => resolve(dirname(path), file);
  const secret =
    secretFile === undefined ? state.teamSecret() : readSecretFile(beside(secretFile), "The secret of the team").trim();
  return {
    ...{ secret, ...settings },
    providers: providers.map((each) => readProvider(each, { path, beside, environment: io.environment })),
  };
}

type FileObject = { readonly [name: string]: unknown };

interface TeamFile {
  readonly providers: readonly FileObject[];
  readonly secretFile: string | undefined;
  readonly settings: Omit<TeamOptions, "providers" | "secret">;
}

function readFile(path: string): TeamFile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw usageError(`The team's file ${path} cannot be read: ${messageOf(error)}`);
  }
  const { providers, secretFile, ...settings } = Object(value) as FileObject;
  if (!Array.isArray(providers) || !providers.every((each) => typeof each === "object" && each !== null))
    throw usageError(`${path} needs "providers", a list of identity providers.`);
  if (secretFile !== undefined && !fits.text(secretFile))
    throw usageError(`"secretFile" in ${path} must be ${words.text}.`);
  checkSettings(settings, teamKinds, { path, whose: "a team", also: ["providers", "secretFile"] });
  return { providers: providers as readonly FileObject[], secretFile: secretFile as string | undefined, settings };
}

type Kind = keyof typeof fits;

/** The settings beside `providers` and `secretFile`. */
const teamKinds = {
  firstScopes: "texts",
  shareModel: "flag",
  modelAddresses: "texts",
  maxClaimsAge: "time",
} as const satisfies Record<Exclude<keyof TeamOptions, "providers" | "secret">, Kind>;

/** Of a provider. A secret is not in this file, which others may read. */
const providerKinds = {
  name: "text",
  title: "text",
  issuer: "text",
  clientId: "text",
  clientSecretFile: "text",
  clientSecretEnv: "text",
  commandLineClientId: "text",
  audiences: "texts",
  subjectClaim: "text",
  organisationClaim: "text",
  organisations: "texts",
  groupsClaim: "text",
  memberGroups: "texts",
  adminGroups: "texts",
  scopes: "object",
  signInScope: "text",
  signInParameters: "object",
  tokenType: "text",
  introspection: "flag",
  maxTokenAge: "time",
  organisationLimits: "numbers",
} as const satisfies Record<
  Exclude<keyof ProviderOptions, "clientSecret"> | "clientSecretFile" | "clientSecretEnv",
  Kind
>;

interface SettingsOf {
  readonly path: string;
  readonly whose: string;
  /** Other names that may be meant. */
  readonly also?: readonly string[];
}

function checkSettings(
  given: FileObject,
  kinds: Readonly<Record<string, Kind>>,
  { path, whose, also = [] }: SettingsOf,
): void {
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const meant = nearest(name, [...Object.keys(kinds), ...also]);
      const next = meant === undefined ? "" : ` Did you mean "${meant}"?`;
      throw usageError(`${path} has "${name}", which is no setting of ${whose}.${next}`);
    }
    if (!fits[kind](value)) throw usageError(`"${name}" in ${path} must be ${words[kind]}.`);
  }
}

interface Surroundings {
  readonly path: string;
  readonly beside: (file: string) => string;
  readonly environment: Io["environment"];
}

function readProvider(given: FileObject, { path, beside, environment }: Surroundings): ProviderOptions {
  checkSettings(given, providerKinds, { path, whose: "an identity provider" });
  for (const needed of ["name", "issuer"])
    if (given[needed] === undefined) throw usageError(`${path} has an identity provider without "${needed}".`);
  const { clientSecretFile, clientSecretEnv, ...options } = given as unknown as ProviderOptions & {
    readonly clientSecretFile?: string;
    readonly clientSecretEnv?: string;
  };
  const clientSecret =
    clientSecretFile === undefined
      ? environment[clientSecretEnv ?? ""]
      : readSecretFile(beside(clientSecretFile), `The secret of ${options.clientId}`).trim();
  if (clientSecretEnv !== undefined && !clientSecret)
    throw usageError(`${path} wants a secret in ${clientSecretEnv}, which is not set.`);
  return { ...options, ...(clientSecret !== undefined && { clientSecret }) };
}

const fits = {
  text: (value: unknown) => typeof value === "string" && value !== "",
  texts: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string" && each !== ""),
  object: (value: unknown) =>
    typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "string"),
  flag: (value: unknown) => typeof value === "boolean",
  numbers: (value: unknown) =>
    typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "number"),
  time: (value: unknown) => typeof value === "number" && value > 0,
};

const words = {
  text: "a text with something in it",
  texts: "a list of texts",
  object: "an object with texts",
  flag: "true or false",
  numbers: "an object with numbers",
  time: "a number of milliseconds",
};
