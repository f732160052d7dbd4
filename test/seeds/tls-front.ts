// An https address for a server, such as a reverse proxy would give it, with a self-signed certificate.
import { generateKeyPairSync, sign } from "node:crypto";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:tls";
import { endTogether } from "../support/end-together.ts";

export interface TlsFront {
  readonly port: number;
  close(): Promise<void>;
}

/** Terminates TLS and forwards everything to this port. For browsers that are started to accept such a certificate. */
export async function startTlsFront(port: number, name: string): Promise<TlsFront> {
  const sockets = new Set<Socket>();
  const server = createServer(selfSigned(name), (socket) => {
    const behind = connect(port, "127.0.0.1");
    for (const one of [socket, behind]) {
      sockets.add(one);
      one.on("close", () => sockets.delete(one));
    }
    endTogether(socket, behind);
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function selfSigned(name: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, oid("2a8648ce3d040302"));
  const subject = der(0x30, der(0x31, der(0x30, oid("550403"), der(0x0c, Buffer.from(name)))));
  const validity = der(0x30, der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z")));
  const whose = publicKey.export({ type: "spki", format: "der" });
  const version = der(0xa0, der(0x02, Buffer.of(2)));
  const body = der(0x30, version, der(0x02, Buffer.of(1)), algorithm, subject, validity, subject, whose);
  const signature = der(0x03, Buffer.of(0), sign("sha256", body, privateKey));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem(der(0x30, body, algorithm, signature)),
  };
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));

/** One element of ASN.1, in its distinguished encoding. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function pem(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`;
}
