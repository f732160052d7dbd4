// An organisation's policy and budgets for its principals, which are in memory once one of them was admitted.
import { ofOrganisation, parsePolicy } from "../../policy/index.ts";
import type { Organisations as PolicyOrganisations, Policy } from "../../policy/index.ts";
import type { JsonObject, Limits, TokenBudgets } from "../../wire/index.ts";
import { knownBudgets } from "../identity/admitted.ts";
import type { OrganisationSettings } from "./organisation-settings.ts";
import type { People } from "./people/people.ts";
import { organisationOf } from "../common/principals.ts";

export interface OrganisationsOptions {
  readonly settings: OrganisationSettings;
  readonly limits: Limits;
  readonly people: Pick<People, "known">;
  /** Called when policies may have changed. */
  readonly onPolicy: () => void;
}

/** Stands in for a policy that is not known here, and may deny. */
const unknown: Policy = ofOrganisation({
  pin: [],
  rules: [
    {
      ...{ label: "unknown", decision: "deny", when: {}, annotations: {}, rate: undefined },
      reason: "This hub cannot read that policy now.",
    },
  ],
});

export class Organisations implements PolicyOrganisations {
  readonly organisationOf = organisationOf;
  readonly #options: OrganisationsOptions;
  /** By what was set: a policy is parsed once. */
  readonly #policies = new WeakMap<JsonObject, Policy>();

  constructor(options: OrganisationsOptions) {
    this.#options = options;
    options.settings.onChanged(options.onPolicy);
  }

  /** Must be awaited before calls of a principal begin. */
  async load(principal: string): Promise<void> {
    const organisation = organisationOf(principal);
    if (organisation !== undefined) await this.#options.settings.load(organisation);
  }

  groupsOf(principal: string): readonly string[] | undefined {
    return this.#options.people.known(principal)?.groups;
  }

  policyOf(principal: string): Policy | undefined {
    const organisation = organisationOf(principal);
    if (organisation === undefined) return undefined;
    const { settings } = this.#options;
    if (!settings.isLoaded(organisation)) return unknown;
    const set = settings.known(organisation, "policy");
    return set && (this.#policies.get(set) ?? this.#parse(set));
  }

  /** The lower limits of a principal's organisation. */
  budgetsOf(principal: string): TokenBudgets | undefined {
    const { settings, limits } = this.#options;
    const set = settings.known(organisationOf(principal) ?? "", "budgets");
    return set && knownBudgets(set, limits);
  }

  #parse(set: JsonObject): Policy {
    const { text } = set;
    let policy = unknown;
    try {
      if (typeof text === "string") policy = ofOrganisation(parsePolicy(text));
    } catch {
      // A newer hub's.
    }
    this.#policies.set(set, policy);
    return policy;
  }
}
