// A browser without a screen: follows redirects with the cookies of each host, and asks like one of the hub's own pages.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { certificate } from "../../../../test/support/certificates.ts";

export interface Seen {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface TestBrowser {
  /** By scheme and host, such as `https://127.0.0.1`, and by name. */
  readonly cookies: Map<string, Map<string, string>>;
  /** Sends one request, and follows nothing. */
  send(url: URL | string, options?: SendOptions): Promise<Seen>;
  /** Follows redirects, up to the first address for which `until` holds. */
  go(url: URL | string, until?: (url: URL) => boolean): Promise<Seen>;
  /** Asks the hub with its own origin, such as `"POST /api/session"`. */
  ask(hub: string, asked: string, options?: AskOptions): Promise<{ readonly status: number; readonly body: unknown }>;
}

interface SendOptions {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface AskOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly origin?: string;
}

/** Ports do not separate cookies, and those that are secure go over https only. */
const siteOf = ({ protocol, hostname }: URL) => `${protocol}//${hostname}`;

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly port: number | undefined;
}

const notFollowed: Seen = { url: new URL("about:blank"), status: 0, headers: new Headers(), text: "" };

/** With ports by name, a browser finds a name such as `hub.example.com` at that port of this machine. */
export function openBrowser(ports: Readonly<Record<string, () => number>> = {}): TestBrowser {
  const cookies = new Map<string, Map<string, string>>();

  function keep(url: URL, headers: Headers): void {
    const jar = cookies.get(siteOf(url)) ?? new Map<string, string>();
    cookies.set(siteOf(url), jar);
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const at = pair.indexOf("=");
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (attributes.includes("Max-Age=0") || value === "") jar.delete(name);
      else jar.set(name, value);
    }
  }

  async function send(address: URL | string, { method = "GET", body, headers = {} }: SendOptions = {}): Promise<Seen> {
    const url = new URL(address);
    const jar = cookies.get(siteOf(url));
    const cookie = [...(jar ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
    const seen = await sendOnce(url, {
      method,
      body,
      port: ports[url.hostname]?.(),
      headers: { ...(cookie !== "" && { Cookie: cookie }), ...headers },
    });
    keep(url, seen.headers);
    return seen;
  }

  return {
    cookies,
    send,
    async go(address, until = () => false) {
      let url = new URL(address);
      for (let hops = 0; hops < 30; hops++) {
        if (until(url)) return { ...notFollowed, url };
        const seen = await send(url);
        const to = seen.headers.get("location");
        if (to === null) return seen;
        url = new URL(to, url);
      }
      throw new Error(`${String(address)} redirects without end.`);
    },
    async ask(hub, asked, { token, body, origin = hub } = {}) {
      const [method = "", path = ""] = asked.split(" ");
      const seen = await send(`${hub}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: {
          Origin: origin,
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
      });
      return { status: seen.status, body: seen.text === "" ? undefined : JSON.parse(seen.text) };
    },
  };
}

function sendOnce(url: URL, { method, headers, body, port }: Sent): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const options = { method, headers: { Host: url.host, ...headers }, agent: false };
    const secure = isSecure && { ca: certificate.cert };
    const elsewhere = port !== undefined && { hostname: "127.0.0.1", port, servername: url.hostname };
    const asked = (isSecure ? httpsRequest : httpRequest)(url, { ...options, ...secure, ...elsewhere }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const answered = new Headers();
        for (let at = 0; at < response.rawHeaders.length; at += 2)
          answered.append(response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? "");
        const text = Buffer.concat(chunks).toString();
        resolve({ url, status: response.statusCode ?? 0, headers: answered, text });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
