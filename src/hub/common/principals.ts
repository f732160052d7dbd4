// How principals of team mode are named: an organisation, and a person or a service account of it.
import { PagewireError } from "../../wire/index.ts";

const organisationMost = 200;

/** A person, by the subject that their identity provider gave them. */
export function personOf(organisation: string, subject: string): string {
  return `${organisation}/${subject}`;
}

export function serviceOf(organisation: string, name: string): string {
  return `${organisation}:service/${name}`;
}

/** The organisation of a principal; undefined for one of another mode. */
export function organisationOf(principal: string): string | undefined {
  return /^([\w.%~!*'()-]+)(?:\/|:service\/)/.exec(principal)?.[1];
}

/** The name of an organisation's provider, which has no dot. */
export function providerOf(organisation: string): string {
  return organisation.split(".", 1)[0] ?? organisation;
}

/** The name of a service account; undefined for a person. */
export function serviceNameOf(principal: string): string | undefined {
  return /^[^/:]+:service\/(.+)$/s.exec(principal)?.[1];
}

/** A provider's organisation, or the one of several that a claim names. */
export function nameOrganisation(provider: string, claim: unknown): string {
  if (claim === undefined) return provider;
  const name = typeof claim === "string" && !/\p{Cs}/u.test(claim) ? encodeURIComponent(claim) : "";
  if (name !== "" && name.length <= organisationMost) return `${provider}.${name}`;
  throw new PagewireError("token-invalid", "The claim with the organisation is not a text that could name one.");
}
