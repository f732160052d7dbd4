import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { createPrinter } from "../common/printer.ts";
import { showOrganisationAudit } from "./organisation-audit.ts";

const refuse = (status: number, code: ErrorCode) => (response: ServerResponse) =>
  response.writeHead(status).end(JSON.stringify({ error: { code, message: "No." } }));
const send = (id: string) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`id: ${id}\ndata: {"id":"${id}"}\n\n`);

/** Follows the audit of a hub that answers the streams like this, with what each stream was asked with. */
async function follow(answers: ((response: ServerResponse) => unknown)[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (!request.url?.endsWith("/stream")) return response.end(JSON.stringify({ calls: [], after: "0" }));
    asked.push(`${request.headers.authorization} ${request.headers["last-event-id"]?.toString()}`);
    return answers.shift()?.(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const cli = createTestIo({});
  onTestFinished(() => cli.close());
  let renewals = 0;
  const renewed = async (): Promise<string> => {
    renewals++;
    if (renewals === 1) throw new PagewireError("identity-unavailable", "It is away.");
    return "next";
  };
  const hub = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "first", renewed };
  const printer = createPrinter(cli.io, true);
  const ended = await showOrganisationAudit({ hub, io: cli.io, printer, follow: true }).catch(
    (error: unknown) => error,
  );
  return { ended, asked, out: cli.out() };
}

test("following an audit goes on while the hub or the identity provider is away, and ends with a refusal that stays", async () => {
  const { ended, asked, out } = await follow([
    refuse(503, "identity-unavailable"),
    send("1"),
    refuse(401, "token-expired"),
    refuse(401, "token-expired"),
    send("2"),
    refuse(403, "admin-needed"),
  ]);
  expect(ended).toMatchObject({ code: "admin-needed" });
  expect(asked).toEqual([
    ...["Bearer first 0", "Bearer first 0", "Bearer first 1", "Bearer first 1"],
    ...["Bearer next 1", "Bearer next 2"],
  ]);
  expect(out).toBe('{"id":"1"}\n{"id":"2"}\n');
});
