/** A host, with its port if it has one, as browsers and git's own client ask for it; undefined where it is none. */
export function askedHost(host: string): string | undefined {
  const [, name = "", port = ""] = /^([^\s/\\?#@]+?)(:\d{1,5})?$/.exec(host) ?? [];
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname + port : undefined;
}
