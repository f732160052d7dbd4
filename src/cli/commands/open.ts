import { askForCode } from "../reach-hub/ask-for-code.ts";
import { defineCommand, hubOptions } from "../common/command.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { hubUrl, openOwnState } from "../reach-hub/find-hub.ts";

export const open = defineCommand({
  name: "open",
  summary: "Open the assistant in the browser, signed in.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    print: { type: "boolean", summary: "Only print the address, for another browser." },
    ...hubOptions,
  },
  notes: [
    "The address holds a code that signs in whoever opens it first: it is good once, and for ten minutes. It stays out of the hub's log. The browser stays signed in for 30 days, or until it signs out, or the token is rotated: npx pagewire token rotate",
    "With --json the address is printed, and nothing is opened.",
  ],
  examples: ["pagewire open", "pagewire open --print"],
  async run({ io, printer, values }) {
    const state = openOwnState(io);
    const { url, expiresAt } = await askForCode(await accessHub(hubUrl(values.hub, io, state), io, state));
    if (printer.json) printer.data({ url, expiresAt: new Date(expiresAt).toISOString() });
    else if (values.print) printer.line(url);
    else {
      io.openInBrowser(url, ({ message }) =>
        printer.note(
          `The browser could not be opened: ${message}. Open the address yourself: npx pagewire open --print`,
        ),
      );
      printer.line(
        `Opens ${new URL(url).origin} in your browser, signed in. If nothing opens: npx pagewire open --print`,
      );
    }
    return 0;
  },
});
