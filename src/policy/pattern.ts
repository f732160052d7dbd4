// Patterns of a policy. "*" stands for any characters, also for none; everything else for itself. There is no other sign.

/** Whether a text fits a pattern, in a time that grows with one times the other at most. */
export function fitsPattern(text: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  /** Where the last star was, and where in the text what it stands for ends. */
  let star = -1;
  let held = 0;
  while (at < text.length) {
    if (pattern[from] === "*") {
      star = from++;
      held = at;
    } else if (from < pattern.length && pattern[from] === text[at]) {
      from++;
      at++;
    } else if (star >= 0) {
      from = star + 1;
      at = ++held;
    } else return false;
  }
  while (pattern[from] === "*") from++;
  return from === pattern.length;
}

/** No browser sends a scheme's own port. */
const ownPort = /^(https:.*:443|http:.*:80)$/;
const originForm = /^[a-z][a-z0-9+.-]*:\/\/(\*\.)?([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:(\*|[0-9]{1,5}))?$/;

/**
 * Whether this can be an origin's pattern: "*" alone, an origin, one with "*." before its host, or with "*" as its port. A star
 * elsewhere could let in hosts of others, such as shop.example.evil.com.
 */
export function isOriginPattern(pattern: string): boolean {
  return pattern === "*" || (originForm.test(pattern) && !ownPort.test(pattern));
}
