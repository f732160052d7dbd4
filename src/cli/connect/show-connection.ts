import type { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import type { Printer } from "../console/printer.ts";
import { plainText } from "../console/plain-text.ts";
import { table } from "../console/table.ts";
import { wrap } from "../console/wrap.ts";
import type { ClientDefinition, Step } from "./clients/client.ts";
import { clientTable } from "./clients/client-table.ts";
import type { ConnectionWithNotes } from "./connection.ts";

/** Lists the clients, one line each. */
export function showClients({ stdout }: Pick<Io, "stdout">, printer: Printer): ExitCode {
  const clients = clientTable.map(({ id, title, summary }) => ({ id, title, summary }));
  if (printer.json) {
    printer.data({ clients });
    return 0;
  }
  const rows = clients.map(({ id, title, summary }) => [id, title, summary]);
  const [head = "", ...lines] = table([["CLIENT", "", "CONFIGURATION"], ...rows], stdout.columns || undefined);
  printer.line(printer.out.dim(head));
  for (const line of lines) printer.line(line);
  printer.line();
  printer.line("See what one needs with: npx pagewire connect <client>");
  return 0;
}

/** Shows both ways to connect a client: by stdio and by HTTP. */
export function showConnection(
  client: ClientDefinition,
  { connection, notes, httpNotes }: ConnectionWithNotes,
  printer: Printer,
): ExitCode {
  const { name, stdio, url } = connection;
  const { id, title, restart } = client;
  const [stdioSteps, httpSteps] = [client.stdioSteps(connection), client.httpSteps(connection)];
  const check = client.check(name);
  if (printer.json) {
    const { command, args, env } = stdio;
    const entry = client.stdioEntry(stdio);
    printer.data({
      client: id,
      name,
      stdio: { command, args, env, entry, steps: stdioSteps },
      http: { url, steps: httpSteps },
      restart,
      check,
      notes: [...notes, ...httpNotes],
    });
    return 0;
  }
  const { bold } = printer.out;
  const paragraph = (text: string, indent = "") => {
    for (const line of wrap(text, LINE_WIDTH - indent.length)) printer.line(indent + line);
  };
  const showSteps = (label: string, steps: readonly Step[]) => {
    printer.line(bold(label));
    for (const { text, code, isSecret } of steps) {
      paragraph(text, "  ");
      for (const line of code === undefined ? [] : plainText(code).split("\n")) printer.line(`    ${line}`);
      if (isSecret) paragraph(secret, "  ");
    }
  };
  showSteps(`${title} by stdio: it starts a small program, and no token is written anywhere`, stdioSteps);
  for (const note of notes) paragraph(`Note: ${note}`, "  ");
  printer.line();
  showSteps(`${title} by HTTP: it speaks to ${url} itself, and needs the token`, httpSteps);
  for (const note of httpNotes) paragraph(`Note: ${note}`, "  ");
  printer.line();
  printer.line(bold("Then"));
  for (const text of [restart, ...check]) paragraph(text, "  ");
  return 0;
}

const secret =
  "This line holds the token, which is a secret: whoever has it can call every tool of every open page. npx pagewire token rotate makes a new one.";

/** Help is read, and copied, on terminals of any width; this fits nearly all. */
const LINE_WIDTH = 80;
