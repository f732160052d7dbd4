// The file of team mode: the identity providers, and where the secrets are.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ProviderOptions, TeamOptions } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";
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
  const { providers, secretFile, ...models } = readFile(path);
  const beside = (file: string) => resolve(dirname(path), file);
  const secret =
    secretFile === undefined ? state.teamSecret() : readSecretFile(beside(secretFile), "The secret of the team").trim();
  return {
    ...{ secret, ...models },
    providers: providers.map((each) => readProvider(each, { path, beside, environment: io.environment })),
  };
}

type FileObject = { readonly [name: string]: unknown };

interface TeamFile extends Pick<TeamOptions, "firstScopes" | "shareModel" | "modelAddresses"> {
  readonly providers: readonly FileObject[];
  readonly secretFile: string | undefined;
}

function readFile(path: string): TeamFile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw usageError(`The team's file ${path} cannot be read: ${messageOf(error)}`);
  }
  const {
    providers,
    secretFile,
    firstScopes = ["tools"],
    shareModel = true,
    modelAddresses = [],
    ...others
  } = Object(value) as FileObject;
  const [other] = Object.keys(others);
  if (other !== undefined) throw usageError(`${path} has "${other}", which is no setting of a team.`);
  if (!Array.isArray(providers) || !providers.every((each) => typeof each === "object" && each !== null))
    throw usageError(`${path} needs "providers", a list of identity providers.`);
  if (secretFile !== undefined && typeof secretFile !== "string")
    throw usageError(`"secretFile" in ${path} must be a path.`);
  if (!fits.flag(shareModel)) throw usageError(`"shareModel" in ${path} must be ${words.flag}.`);
  if (!fits.texts(modelAddresses)) throw usageError(`"modelAddresses" in ${path} must be ${words.texts}.`);
  if (!fits.texts(firstScopes)) throw usageError(`"firstScopes" in ${path} must be ${words.texts}.`);
  return {
    ...{ providers: providers as readonly FileObject[], secretFile },
    ...{ firstScopes: firstScopes as NonNullable<TeamOptions["firstScopes"]> },
    ...{ shareModel: shareModel as boolean, modelAddresses: modelAddresses as readonly string[] },
  };
}

const kinds = {
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
} as const;

interface Surroundings {
  readonly path: string;
  readonly beside: (file: string) => string;
  readonly environment: Io["environment"];
}

function readProvider(given: FileObject, { path, beside, environment }: Surroundings): ProviderOptions {
  for (const [name, value] of Object.entries(given)) {
    const kind = (kinds as Readonly<Record<string, keyof typeof fits>>)[name];
    if (kind === undefined) throw usageError(`${path} has "${name}", which is no setting of an identity provider.`);
    if (!fits[kind](value)) throw usageError(`"${name}" in ${path} must be ${words[kind]}.`);
  }
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
