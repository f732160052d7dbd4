// Why a page gets no answer of its hub, with the next step. A browser hides from scripts why a socket was refused: whether
// the hub runs at all shows in a file that it serves to everybody.

/** The text for an address at which there was no answer. */
export async function whyUnreachable(url: URL, page: Pick<Location, "origin">): Promise<string> {
  const { host, hostname, protocol, pathname } = url;
  if (!pathname.endsWith("/ai-agent")) return `The server at ${host} cannot be reached. It is tried again.`;
  const http = protocol.replace(/^ws/, "http");
  const isRunning = await isServed(`${http}//${host}/ai-agent.js`);
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  if (isRunning) return isHere ? notAllowed(host, page.origin) : refused(host, page.origin);
  return isHere
    ? `No hub answers at ${host}. Start it with: npx pagewire`
    : `The hub at ${host} cannot be reached. It is tried again.`;
}

async function isServed(address: string): Promise<boolean> {
  try {
    await fetch(address, { mode: "no-cors", cache: "no-store", credentials: "omit" });
    return true;
  } catch {
    return false;
  }
}

/** The text for a hub on this machine that does not know the page's origin. */
export function notAllowed(host: string, origin: string): string {
  if (origin === "null")
    return `A page that was opened as a file has no origin that the hub at ${host} could allow. Serve it from a web server.`;
  return `The hub at ${host} does not know this page yet. Allow it with: npx pagewire allow ${origin}`;
}

function refused(host: string, origin: string): string {
  return `The hub at ${host} refuses this page. It must allow the origin ${origin}, and the chat needs a token of its user.`;
}
