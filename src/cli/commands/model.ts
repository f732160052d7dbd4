import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { accessHub, accessTerminals } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import type { HubRequest } from "../reach-hub/ask-hub.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { oneLine } from "../common/plain-text.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";

type Context = CommandContext<typeof hubOptions>;

export const model = defineCommand({
  name: "model",
  summary: "Show the hub's model, test it, or choose another of its provider's.",
  usage: "[list|use <model>|test [model]]",
  positionals: { min: 0, max: 2 },
  options: hubOptions,
  notes: [
    "Which provider a hub has is decided when it starts: by --model, else by the first key that it finds. list asks the provider for its models, and where there is no key, an Ollama and an LM Studio on this machine for theirs; test sends one short question.",
    "use makes a model the default of new questions at once. It is remembered for this provider, unless the hub was started with --model.",
  ],
  examples: ["pagewire model", "pagewire model list", "pagewire model use gpt-5.4", "pagewire model test"],
  async run(context) {
    const [action = "show", name] = context.positionals;
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!act || (name !== undefined && (action === "show" || action === "list")) || (action === "use" && !name))
      throw usageError("Write: npx pagewire model, model list, model use <model>, or model test");
    return act(context, name);
  },
});

/** A model that thinks first takes its time; the hub gives up earlier. */
const testTimeout = 30_000;
const current = { method: "GET", path: "/api/model" } as const;

const actions: Readonly<Record<string, (context: Context, name: string | undefined) => Promise<ExitCode>>> = {
  async show(context) {
    const found = await ask(context, current);
    return show(
      context,
      found,
      `${textOf(found["provider"]) || "none"}${found["model"] ? `/${textOf(found["model"])}` : ""}`,
    );
  },
  async list(context) {
    const [found, now] = [await ask(context, { method: "GET", path: "/api/models" }), await ask(context, current)];
    const { printer } = context;
    if (printer.json) printer.data(found);
    else {
      for (const each of Array.isArray(found["models"]) ? found["models"] : [])
        printer.line(`${each === now["model"] ? "*" : " "} ${textOf(each)}`);
      if (found["problem"]) printer.note(`The provider lists no others: ${textOf(found["problem"])}`);
      for (const server of Array.isArray(found["local"]) ? found["local"] : []) showLocal(context, server);
    }
    return 0;
  },
  async use(context, name = "") {
    const { io, values } = context;
    const state = openOwnState(io);
    const owner = await accessTerminals(findHub(values, io, state), io, state);
    const found = await askHub({ ...owner, method: "PUT", path: "/api/model", body: { model: name } });
    const until = found["isSaved"] ? "" : ", until the hub stops";
    return show(context, found, `New questions go to ${oneLine(name)}${until}. Test it with: npx pagewire model test`);
  },
  async test(context, name) {
    const body = name === undefined ? {} : { model: name };
    const found = await ask(context, { method: "POST", path: "/api/model/test", body, timeout: testTimeout });
    const { isOk, milliseconds, answer, problem } = found;
    const about = `${textOf(found["model"])} ${isOk ? "answered" : "did not answer"} (${Number(milliseconds)} ms)`;
    show(context, found, `${about}: ${textOf(isOk ? answer : problem)}`);
    return isOk === true ? 0 : 1;
  },
};

/** The models of a server on this machine, and how to use one. */
function showLocal({ printer }: Context, server: Json): void {
  const { title, address, provider, models } = isJsonObject(server) ? server : {};
  const names = Array.isArray(models) ? models.map(textOf) : [];
  printer.line(`On this machine, ${textOf(title)} at ${textOf(address)} has:`);
  for (const name of names) printer.line(`  ${textOf(provider)}/${name}`);
  printer.note(`Use one with: npx pagewire restart --model ${textOf(provider)}/${names[0] ?? ""}`);
}

async function ask(
  { io, values }: Context,
  request: Pick<HubRequest, "method" | "path" | "body" | "timeout">,
): Promise<JsonObject> {
  const state = openOwnState(io);
  return askHub({ ...(await accessHub(findHub(values, io, state), io, state)), ...request });
}

function show({ printer }: Context, found: JsonObject, line: string): ExitCode {
  if (printer.json) printer.data(found);
  else printer.line(line);
  return 0;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? oneLine(value, 500) : "";
}
