// How a hub and its NATS server know each other: TLS, and the ways in which a server lets a client in.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nkeys } from "@nats-io/transport-node";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import { certificate } from "../../../test/support/certificates.ts";
import { startNats } from "../../../test/support/start-nats.ts";
import type { NatsServer } from "../../../test/support/start-nats.ts";
import { connectNats } from "./nats-bus.ts";

const run = promisify(execFile);

function folderFor(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-nats-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function nats(config = ""): Promise<NatsServer> {
  const server = await startNats(config);
  onTestFinished(() => server.close());
  return server;
}

/** The config of a server with a certificate that no other program trusts. */
function withTls(): { readonly config: string; readonly trusted: string } {
  const folder = folderFor({ "cert.pem": certificate.cert, "key.pem": certificate.key });
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  return { config: `tls { cert_file: "${cert}", key_file: "${key}" }`, trusted: cert };
}

/** Connects in a process that trusts a certificate, as Node reads it when a process begins. */
async function connectTrusting(trusted: string, servers: string): Promise<string> {
  const folder = mkdtempSync(join(import.meta.dirname, "../../../.cache/nats-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "connect.mjs");
  const contents = `
    import { connectNats } from "./nats-bus.ts";
    try {
      const bus = await connectNats({ servers: process.argv[2] });
      console.log(bus.isUp);
      await bus.close();
    } catch ({ code, message }) { console.log(code, message); }`;
  const shared = { bundle: true, format: "esm", platform: "node", packages: "external" } as const;
  await build({ ...shared, outfile, stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" } });
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: trusted };
  return (await run(process.execPath, [outfile, servers], { env })).stdout.trim();
}

describe("a server with TLS", () => {
  test("MH3: is used over TLS if its certificate is trusted, and with a password", async () => {
    const { config, trusted } = withTls();
    const { port } = await nats(`${config}\nauthorization { user: ada, password: secret }`);
    expect(await connectTrusting(trusted, `tls://ada:secret@localhost:${port}`)).toBe("true");
    const refused = await connectTrusting(trusted, `tls://ada:wrong@localhost:${port}`);
    expect(refused).toMatch(/^bus-unavailable /);
    expect(refused).not.toContain("wrong");
  });

  test("MH3: is not used if nothing vouches for it", async () => {
    const { port } = await nats(withTls().config);
    const failed = connectNats({ servers: `tls://localhost:${port}` });
    await expect(failed).rejects.toMatchObject({ code: "bus-unavailable" });
  });

  test("MH3: is not used under another name than its certificate's", async () => {
    const { config, trusted } = withTls();
    const { port } = await nats(config);
    expect(await connectTrusting(trusted, `tls://127.0.0.2:${port}`)).toMatch(/^bus-unavailable /);
  });

  test("MH3: a server without TLS gets nothing from an address with tls://", async () => {
    let got = "";
    const server = createServer((socket) => {
      socket.write('INFO {"server_id":"x","version":"2.9.0","proto":1,"max_payload":1000000}\r\n');
      socket.on("data", (data) => (got += data.toString("latin1")));
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failed = connectNats({ servers: `tls://ada:secret@127.0.0.1:${port}` });
    await expect(failed).rejects.toMatchObject({ code: "bus-unavailable" });
    expect(got).not.toMatch(/CONNECT|secret/);
  });
});

/** A signed statement of NATS about a key. */
function claim(
  issuer: nkeys.KeyPair,
  subject: nkeys.KeyPair,
  about: { readonly name: string; readonly nats: object },
): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const fields = { jti: about.name, iat: 1_700_000_000, iss: issuer.getPublicKey(), sub: subject.getPublicKey() };
  const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ ...fields, ...about })}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}

const unlimited = { subs: -1, data: -1, payload: -1 };

test("MH4: a credentials file of an account lets a hub in, and one of another account does not", async () => {
  const [operator, account, user, stranger] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createUser(),
    nkeys.createAccount(),
  ];
  const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorClaim = claim(operator, operator, { name: "operator", nats: { type: "operator", version: 2 } });
  const accountClaim = claim(operator, account, { name: "hubs", nats: { limits, type: "account", version: 2 } });
  const { url } = await nats(`operator: "${operatorClaim}"
    resolver: MEMORY
    resolver_preload: { ${account.getPublicKey()}: "${accountClaim}" }`);
  const fileOf = (issuer: nkeys.KeyPair) => {
    const userClaim = claim(issuer, user, { name: "hub", nats: { ...unlimited, type: "user", version: 2 } });
    const seed = Buffer.from(user.getSeed()).toString();
    const part = (name: string, text: string) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
    return Buffer.from(part("NATS USER JWT", userClaim) + part("USER NKEY SEED", seed));
  };
  const bus = await connectNats({ servers: url, credentials: fileOf(account) });
  onTestFinished(() => bus.close());
  expect(bus.isUp).toBe(true);
  for (const credentials of [fileOf(stranger), undefined])
    await expect(connectNats({ servers: url, credentials })).rejects.toMatchObject({ code: "bus-unavailable" });
});
