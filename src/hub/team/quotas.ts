// How many tokens of a model the people of an organisation may use: each of them, and all together. See SPEC.md.
import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { tokenPeriods } from "../common/token-limit.ts";
import type { TokenLimit, TokenPeriod } from "../common/token-limit.ts";
import type { OrganisationSettings } from "./organisation-settings.ts";
import type { People } from "./people/people.ts";
import { organisationOf } from "../common/principals.ts";

/** Numbers of tokens; no limit of a period that is missing. */
type Amounts = Readonly<Partial<Record<TokenPeriod, number>>>;

interface Shares {
  readonly each?: Amounts;
  readonly all?: Amounts;
}

interface ParsedQuotas extends Shares {
  readonly groups: Readonly<Record<string, Shares>>;
  readonly people: Readonly<Record<string, Amounts>>;
}

export interface Quotas {
  /** Must be awaited before the limits of a principal are asked for. */
  load(principal: string): Promise<void>;
  limitsOf(principal: string): readonly TokenLimit[];
  /** As they were set; undefined if they were not. */
  of(organisation: string): JsonObject | undefined;
  /** Throws for quotas that cannot be meant, and if the check of those before does. */
  set(organisation: string, quotas: JsonObject, check?: (before: JsonObject | undefined) => void): Promise<void>;
}

const settingName = "quotas";
const maxNamed = 1000;
const unlimited = "unlimited";
const none: ParsedQuotas = { groups: {}, people: {} };

export function createQuotas(settings: OrganisationSettings, people: Pick<People, "known" | "load">): Quotas {
  const parsed = new WeakMap<JsonObject, ParsedQuotas>();

  function parsedOf(organisation: string): ParsedQuotas {
    const set = settings.required(organisation, settingName);
    if (!set) return none;
    const quotas = parsed.get(set) ?? parseQuotas(organisation, set);
    parsed.set(set, quotas);
    return quotas;
  }

  return {
    async load(principal) {
      const organisation = organisationOf(principal);
      if (organisation === undefined) return;
      await settings.load(organisation);
      await people.load(principal);
    },
    limitsOf(principal) {
      const organisation = organisationOf(principal);
      if (organisation === undefined) return [];
      const groups = people.known(principal)?.groups ?? [];
      return limitsIn(parsedOf(organisation), { organisation, principal, groups });
    },
    of: (organisation) => settings.required(organisation, settingName),
    async set(organisation, quotas, check = () => {}) {
      parseQuotas(organisation, quotas);
      const value = Object.keys(quotas).length === 0 ? undefined : quotas;
      await settings.replace(organisation, { name: settingName, value, check });
    },
  };
}

interface Whose {
  readonly organisation: string;
  readonly principal: string;
  readonly groups: readonly string[];
}

function limitsIn(quotas: ParsedQuotas, { organisation, principal, groups }: Whose): readonly TokenLimit[] {
  const own = groups.flatMap((group) =>
    Object.hasOwn(quotas.groups, group) ? [[group, quotas.groups[group]] as const] : [],
  );
  const person = Object.hasOwn(quotas.people, principal) ? quotas.people[principal] : undefined;
  return tokenPeriods.flatMap((period): TokenLimit[] => {
    const by = "organisation";
    // A person's own quota counts, else the largest that a group of theirs gives each, else the organisation's.
    const given = own.flatMap(([, shares]) => shares?.each?.[period] ?? []);
    const each = person?.[period] ?? (given.length > 0 ? Math.max(...given) : quotas.each?.[period]);
    const together = own.flatMap(([group, shares]) => {
      const tokens = shares?.all?.[period];
      return tokens === undefined
        ? []
        : [{ account: `${organisation}:group/${group}`, period, tokens, by, of: { group } } as const];
    });
    return [
      ...(each === undefined ? [] : [{ account: principal, period, tokens: each, by } as const]),
      ...together,
      // Counted also before there is a limit.
      { account: `${organisation}:all`, period, tokens: quotas.all?.[period] ?? Infinity, by, of: by },
    ];
  });
}

function parseQuotas(organisation: string, given: JsonObject): ParsedQuotas {
  const { groups = {}, people = {}, ...shares } = given;
  return {
    ...parseShares("", shares),
    groups: parseNamed("groups", groups, (name, value) => parseShares(`groups.${name}.`, value)),
    people: parseNamed("people", people, (name, value) => {
      if (organisationOf(name) !== organisation)
        throw malformed(`"people" names principals of your organisation, such as ${organisation}/ada, not "${name}".`);
      return parseAmounts(`people.${name}`, value);
    }),
  };
}

function parseNamed<Value>(
  what: string,
  given: Json,
  parse: (name: string, value: Json) => Value,
): Readonly<Record<string, Value>> {
  if (!isJsonObject(given)) throw malformed(`"${what}" must be an object by name.`);
  const entries = Object.entries(given);
  if (entries.length > maxNamed) throw malformed(`"${what}" can name at most ${maxNamed}.`);
  return Object.fromEntries(entries.map(([name, value]) => [name, parse(name.slice(0, 200), value)]));
}

function parseShares(where: string, given: Json): Shares {
  if (!isJsonObject(given)) throw malformed(`"${where.slice(0, -1)}" must be an object with "each" and "all".`);
  const entries = Object.entries(given).map(([name, value]) => {
    if (name !== "each" && name !== "all")
      throw malformed(`"${where}${name.slice(0, 60)}" means nothing here. A quota is of "each" or of "all" together.`);
    return [name, parseAmounts(`${where}${name}`, value)] as const;
  });
  return Object.fromEntries(entries);
}

function parseAmounts(where: string, given: Json): Amounts {
  if (!isJsonObject(given)) throw malformed(`"${where}" must be an object: { "day": 200000 }.`);
  const entries = Object.entries(given).map(([name, value]) => {
    const period = tokenPeriods.find((each) => each === name);
    if (!period) throw malformed(`"${where}.${name.slice(0, 60)}" means nothing here. There are day and month.`);
    if (value === unlimited) return [period, Infinity] as const;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return [period, value] as const;
    throw malformed(`"${where}.${period}" must be a whole number of tokens, or "${unlimited}".`);
  });
  return Object.fromEntries(entries);
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
