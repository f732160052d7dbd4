/** The parts of `navigator` that tell what browser this is. */
export interface KnownBrowser {
  readonly userAgent: string;
  readonly userAgentData?: {
    readonly brands: readonly { readonly brand: string }[];
    readonly platform: string;
  };
}

/** By their words in `userAgent`. Many call themselves Chrome and Safari too: those come last. */
const browsers = [
  ["Firefox/", "Firefox"],
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Vivaldi/", "Vivaldi"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const systems = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** Names this browser for its user, such as "Chrome on macOS". No page and no extension may know the profile's name. */
export function browserName({ userAgent, userAgentData }: KnownBrowser): string {
  const brand = userAgentData?.brands.find(
    ({ brand: name }) => name !== "Chromium" && !/not.*brand/i.test(name),
  )?.brand;
  const inAgent = (known: readonly (readonly [string, string])[]): string | undefined =>
    known.find(([word]) => userAgent.includes(word))?.[1];
  const name = brand?.replace(/^(Google|Microsoft) /, "") ?? (userAgentData ? "Chromium" : inAgent(browsers));
  const system = inAgent(systems);
  return `${name ?? "Browser"}${system === undefined ? "" : ` on ${system}`}`;
}
