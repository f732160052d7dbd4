// AWS's signature of a request (SigV4), by WebCrypto.

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface Unsigned {
  readonly method: string;
  readonly host: string;
  /** As it is sent. */
  readonly path: string;
  readonly query?: string;
  /** Headers that are signed beside the host, the time and the session's token. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Scope {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

/** The headers to add. Throws in a page that is not secure: it has no WebCrypto. */
export async function signRequest(request: Unsigned, scope: Scope): Promise<Record<string, string>> {
  const { credentials, region, service, now } = scope;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const date = time.slice(0, 8);
  const added = { "X-Amz-Date": time, ...(sessionToken && { "X-Amz-Security-Token": sessionToken }) };
  const headers = Object.entries({ ...request.headers, Host: request.host, ...added })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, " ")] as const)
    .toSorted(([one], [other]) => compare(one, other));
  const names = headers.map(([name]) => name).join(";");
  const canonical = [
    request.method,
    request.path.split("/").map(encode).join("/"),
    canonicalQuery(request.query ?? ""),
    ...headers.map((header) => header.join(":")),
    "",
    names,
    await digestOf(request.body),
  ].join("\n");
  const place = `${date}/${region}/${service}/aws4_request`;
  let key = bytesOf(`AWS4${secretAccessKey}`);
  for (const part of [date, region, service, "aws4_request"]) key = await hmac(key, part);
  const signature = hex(await hmac(key, ["AWS4-HMAC-SHA256", time, place, await digestOf(canonical)].join("\n")));
  const proof = `Credential=${accessKeyId}/${place}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...added, Authorization: `AWS4-HMAC-SHA256 ${proof}` };
}

function canonicalQuery(query: string): string {
  const pairs: (readonly [string, string])[] = [];
  new URLSearchParams(query).forEach((value, name) => pairs.push([encode(name), encode(value)]));
  return pairs
    .toSorted(([one, a], [other, b]) => compare(one, other) || compare(a, b))
    .map((pair) => pair.join("="))
    .join("&");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** `encodeURIComponent` leaves some that AWS encodes. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function subtle(): SubtleCrypto {
  if (crypto.subtle) return crypto.subtle;
  throw new Error(
    "WebCrypto signs a request for AWS, and only secure pages have it: use https, or an API key of Bedrock.",
  );
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await subtle().importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await subtle().sign("HMAC", imported, bytesOf(text)));
}

async function digestOf(text: string): Promise<string> {
  return hex(new Uint8Array(await subtle().digest("SHA-256", bytesOf(text))));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
