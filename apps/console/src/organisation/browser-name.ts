const browsers = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" } as const;
const systems = ["Windows", "Android", "iPhone", "iPad", "Mac OS", "CrOS", "Linux"];

/** A name such as "Chrome on Linux" for what a browser says about itself, or that text where it is unknown. */
export function browserName(text: string): string {
  const [, name] = Object.entries(browsers).find(([mark]) => text.includes(`${mark}/`)) ?? [];
  const system = systems.find((each) => text.includes(each));
  return name === undefined ? text : `${name}${system === undefined ? "" : ` on ${system}`}`;
}
