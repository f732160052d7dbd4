import { showOrganisationAudit } from "../audit/organisation-audit.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { defineCommand, usageError } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";
import { peopleActions } from "../team/people.ts";
import { serviceActions } from "../team/services.ts";
import { settingActions } from "../team/settings.ts";
import type { Actions } from "../team/shown.ts";
import { strayOptions, teamOptions } from "../team/team-options.ts";

const actions: Actions = { ...peopleActions, ...serviceActions, ...settingActions };
/** It prints while it goes on, unlike the others. */
const auditKey = "audit list";

export const team = defineCommand({
  name: "team",
  summary: "Govern your organisation: its people, service accounts, policy, quotas, audit.",
  usage: "people|sessions|services|policy|quotas|budgets|model|audit [action] [name|file]",
  positionals: { min: 1, max: 3 },
  options: teamOptions,
  notes: [
    "For the admins of an organisation at a hub in team mode, whom their identity provider's groups name. Sign in for it first: npx pagewire login --scope admin",
    "people block ends all that a person's credentials began, at all hubs, and keeps the person out until people unblock. people end does the first only: the person may sign in again. A person is named by principal or email address.",
    "services make and rotate print a new key, and no other command does: put it where the program finds it. With --keep-old the earlier keys stay good for that time, so that programs can change over.",
    "policy, quotas and budgets show what is set, and set it from a file, or from stdin with -: all of it at once. With --replaces DIGEST that fails if another admin changed it since it had that digest (--jq .digest). policy test says what would become of a call, by the hub's policy and yours together.",
    "audit shows the latest records of all your organisation's principals; with --json a line of JSON for each, for a program that watches over security.",
    "model set gives your people a model of a provider with a key of yours, which nothing shows again.",
  ],
  examples: [
    "pagewire team people",
    "pagewire team people block ada@acme.example",
    "pagewire team sessions",
    "pagewire team sessions end 4pFw2d0aXq8bRk1c.YWNtZS9hZGE",
    "pagewire team services make deploy --scope tools --expires 30d",
    "pagewire team services rotate deploy --keep-old 1d",
    "pagewire team policy --jq .text > policy.json",
    "pagewire team policy set policy.json",
    "pagewire team policy test delete_order --principal acme/ada --group interns",
    "pagewire team quotas set quotas.json",
    "pagewire team model set anthropic --model claude-sonnet-5 --key-file key.txt",
    "pagewire team model remove",
    "pagewire team audit --follow --json",
  ],
  async run({ io, printer, values, positionals: [part = "", action = "list", name] }): Promise<ExitCode> {
    const key = `${part} ${action}${name === undefined ? "" : " <name>"}`;
    const run = Object.hasOwn(actions, key) ? actions[key] : undefined;
    if (!run && key !== auditKey) throw usageError(`There are: ${describeActions(part).join(", ")}.`);
    const [stray] = strayOptions(key, values);
    if (stray !== undefined) throw usageError(`--${stray} is not for: npx pagewire team ${part} ${action}`);
    const state = openOwnState(io);
    const hub = await accessHub(findHub(values, io, state), io, state);
    if (!run) {
      await showOrganisationAudit({ hub, io, printer, follow: values.follow });
      return 0;
    }
    const { data, lines } = await run({ hub, values, name: name ?? "", stdin: io.stdin });
    if (printer.json) printer.data(data);
    else for (const line of lines(io.stdout.columns || undefined)) printer.line(line);
    return 0;
  },
});

/** The actions of this part, or all where there is no such part. */
function describeActions(part: string): readonly string[] {
  const all = [...Object.keys(actions), auditKey];
  const own = all.filter((each) => each.startsWith(`${part} `));
  return (own.length > 0 ? own : all).map((each) => `team ${each}`);
}
