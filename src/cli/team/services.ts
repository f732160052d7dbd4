// The service accounts of an organisation. A key is printed once, alone on its line.
import type { JsonObject } from "../../wire/index.ts";
import { oneLine } from "../common/plain-text.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import type { AccessedHub } from "../reach-hub/access-hub.ts";
import { duration, listed, objects, said, text, texts, time } from "./shown.ts";
import type { Actions, Asked, Shown } from "./shown.ts";

const path = "/api/team/services";
const pathTo = (name: string) => `${path}/${encodeURIComponent(name)}`;
const none = "There is no service account. Make one with: npx pagewire team services make <name>";

export const serviceActions: Actions = {
  async "services list"({ hub }) {
    const services = objects((await askHub({ ...hub, method: "GET", path }))["services"]);
    const rows = services.flatMap((each) =>
      [...objects(each["keys"]), ...(objects(each["keys"]).length === 0 ? [{}] : [])].map((key: JsonObject) => [
        ...[text(each["name"]), texts(each["scopes"]).join(" "), text(key["id"])],
        ...[time(key["expiresAt"]), key["usedAt"] === undefined ? "never" : time(key["usedAt"])],
      ]),
    );
    return listed({ services: [...services] }, [["NAME", "SCOPES", "KEY", "ENDS", "USED"], ...rows], none);
  },
  "services make <name>": ({ hub, name, values }) => {
    const scopes = values.scope.length > 0 ? { scopes: [...values.scope] } : {};
    return newKey(hub, path, { name, ...scopes, ...expiry(values) });
  },
  "services rotate <name>": ({ hub, name, values }) => {
    const keepOldFor = duration("keep-old", values["keep-old"]);
    return newKey(hub, `${pathTo(name)}/keys`, { ...expiry(values), ...(keepOldFor !== undefined && { keepOldFor }) });
  },
  async "services remove <name>"({ hub, name }) {
    await askHub({ ...hub, method: "DELETE", path: pathTo(name) });
    return said({ removed: name }, `The service account ${oneLine(name, 100)} is gone, with its keys.`);
  },
};

async function newKey(hub: AccessedHub, to: string, body: JsonObject): Promise<Shown> {
  const data = await askHub({ ...hub, method: "POST", path: to, body });
  return { data, lines: () => [text(data["key"])] };
}

function expiry({ expires }: Asked["values"]): JsonObject {
  const expiresIn = duration("expires", expires);
  return expiresIn === undefined ? {} : { expiresIn };
}
