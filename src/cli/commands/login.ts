import { createContextFiles } from "../../state/index.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { plainText } from "../common/plain-text.ts";
import { textOfInput } from "../common/read-arguments.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import { checkName, contextNamed, readContext, writeContext } from "../contexts/context.ts";
import type { HubContext } from "../contexts/context.ts";
import { whileHeld } from "../contexts/context-token.ts";
import { keepTokens } from "../contexts/keep-tokens.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import { signInAddress } from "../sign-in/hub-metadata.ts";
import { revoke, signIn } from "../sign-in/sign-in.ts";
import type { SignedIn } from "../sign-in/sign-in.ts";
import { describeMe } from "./whoami.ts";

const options = {
  context: { type: "string", value: "NAME", summary: "The name to keep it by; the hub's host by default." },
  device: { type: "boolean", summary: "Show a code for a browser on another machine." },
  provider: { type: "string", value: "NAME", summary: "Of several identity providers: its name at the hub." },
  "client-id": { type: "string", value: "ID", summary: "The command line's client at the provider, if it needs one." },
  scope: { type: "string", multiple: true, value: "SCOPE", summary: "What more to do: tools:destructive, admin." },
  "key-file": {
    type: "string",
    value: "FILE",
    summary: "For machines: a key of a service account or of yours; - for stdin.",
  },
  "no-browser": { type: "boolean", summary: "Print the address to sign in at, and open nothing." },
  ...commonOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

export const login = defineCommand({
  name: "login",
  summary: "Sign in to a hub of your team.",
  usage: "[https://hub.example.com]",
  positionals: { min: 0, max: 1 },
  options,
  notes: [
    "The hub becomes a context: the commands use it from now on, until: pagewire context use local. Without an address it signs in again to the context that is named or in use.",
    "Your browser opens at your identity provider, and comes back to an address of this machine. Where no browser is, --device shows a code to type elsewhere.",
    "What signs you in is sealed with a key in the operating system's place for secrets (the Keychain, the Credential Manager, a Secret Service), else kept in a file for you alone; PAGEWIRE_KEYRING=off is for the file. It is renewed by itself.",
    "A machine signs in with the key of a service account, or with one of yours (pagewire keys): --key-file, or PAGEWIRE_URL and PAGEWIRE_TOKEN in its environment, which keeps nothing.",
  ],
  examples: [
    "pagewire login https://hub.example.com",
    "pagewire login https://hub.example.com --context acme --device",
    "pagewire login --scope tools:destructive",
    "pagewire login https://hub.example.com --context ci --key-file /run/secrets/pagewire",
  ],
  async run(context) {
    const interrupts = createInterrupts(context.io);
    try {
      return await unlessAborted(run(context, interrupts.signal), interrupts.signal);
    } finally {
      interrupts.stop();
    }
  },
});

async function run(context: Context, signal: AbortSignal): Promise<ExitCode> {
  const { io, printer, values } = context;
  const files = createContextFiles(openOwnState(io).directory);
  const target = targetOf(context);
  const found = values["key-file"] === undefined ? await signInAs(context, target, signal) : await readKey(context);
  const { tokens, ...rest } = found;
  const made: HubContext = { issuer: undefined, clientId: undefined, scopes: [], ...rest, ...target, kept: undefined };
  // Whom the hub does not let in is not signed in.
  const me = await askHub({ url: made.hub, token: tokens.access, method: "GET", path: "/api/team/me" }).catch(
    async (error: unknown) => {
      await revoke(made, tokens, io).catch(() => {});
      throw error;
    },
  );
  signal.throwIfAborted();
  const where = await whileHeld({ files, name: made.name, io }, async () => {
    const kept = await keepTokens(made, tokens, { files, keyring: io.keyring });
    writeContext(files, { ...made, kept: kept.kept });
    files.use(made.name);
    return kept.where;
  });
  if (printer.json) printer.data({ context: made.name, hub: made.hub, scopes: made.scopes, where, ...me });
  else {
    printer.line(`Signed in to ${made.hub} as ${describeMe(me)}. What signs you in is in ${where}.`);
    printer.line(`The commands use the context ${made.name} now. Back to this machine: npx pagewire context use local`);
    if (made.issuer !== undefined && tokens.refresh === undefined)
      printer.note("The identity provider gives no refresh token: sign in again when this token ends.");
    const missing = values.scope.flatMap((each) => each.split(/\s+/)).filter((each) => !made.scopes.includes(each));
    if (made.issuer !== undefined && missing.length > 0)
      printer.note(plainText(`The identity provider did not grant: ${missing.join(", ")}`));
  }
  return 0;
}

interface Target {
  readonly name: string;
  readonly hub: string;
}

/** The hub of the address, under the name it has or gets; else the context that is named or in use. */
function targetOf({ io, values, positionals: [address] }: Context): Target {
  const files = createContextFiles(openOwnState(io).directory);
  const given =
    values.context ?? (address === undefined ? io.environment["PAGEWIRE_CONTEXT"] || files.inUse() : undefined);
  if (address === undefined) {
    const known = given === undefined ? undefined : contextNamed(files, given);
    if (known === undefined) throw usageError("Which hub? Write: npx pagewire login https://hub.example.com");
    return { name: known.name, hub: known.hub };
  }
  const hub = signInAddress(address);
  const name = checkName(given ?? new URL(hub).host.replace(":", "-"));
  const before = readContext(files, name);
  if (before !== undefined && before.hub !== hub)
    throw usageError(
      `The context ${name} is for ${before.hub}. Choose another name by --context, or remove it: npx pagewire context remove ${name}`,
    );
  return { name, hub };
}

function signInAs({ io, printer, values }: Context, { name, hub }: Target, signal: AbortSignal): Promise<SignedIn> {
  const files = createContextFiles(openOwnState(io).directory);
  const show = (line: string) => printer.note(plainText(line));
  return signIn({
    ...{ hub, signal, io },
    before: readContext(files, name),
    provider: values.provider,
    clientId: values["client-id"],
    scopes: values.scope.flatMap((each) => each.split(/\s+/)).filter((each) => each !== ""),
    isDevice: values.device,
    open(url) {
      if (values["no-browser"]) return show(`Sign in at: ${url}`);
      io.openInBrowser(url, ({ message }) => show(`The browser could not be opened: ${message}.`));
      show(`Sign in, in your browser. If it does not open, sign in at: ${url}`);
    },
    showCode: ({ code, url, wholeUrl }) => {
      show(`Open ${url} in any browser, and type the code ${code}`);
      if (wholeUrl !== undefined) show(`Or open ${wholeUrl} and see that it shows this code.`);
    },
  });
}

/** A key does not end in a sign-in: it is kept as it is. */
async function readKey({ io, values }: Context): Promise<Pick<SignedIn, "tokens">> {
  const path = values["key-file"] ?? "";
  const others = [values.device, values["no-browser"], values.scope.length > 0, values.provider, values["client-id"]];
  if (others.some(Boolean))
    throw usageError(
      "A key signs in by itself: give --key-file without --device, --scope, --provider, --client-id and --no-browser.",
    );
  const access = (await textOfInput(path, io.stdin)).trim();
  if (/^[\x21-\x7e]{16,8192}$/.test(access)) return { tokens: { access } };
  throw usageError(`${path === "-" ? "stdin" : path} does not hold one line with a key.`);
}
