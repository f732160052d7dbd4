import { group, list, number, optional, text, wrongField } from "./fields.ts";
import type { Fields } from "./fields.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";

const name = text(Infinity);
const words = optional(name);
const object = optional(isJsonObject);
const listOf = (shape: Fields) => optional(list(group(shape), Infinity));

/** What agents could not read if it had another form; what else an item says is passed on as it is. */
const itemFields = {
  name,
  title: words,
  description: words,
  mimeType: words,
  size: optional(number),
  arguments: listOf({ name }),
  annotations: object,
  icons: listOf({ src: name }),
  _meta: object,
};

/** The name of the first field of an offered tool, resource, template or prompt that is missing or has the wrong form. */
export function wrongItemField(item: JsonObject): string | undefined {
  return wrongField(itemFields, item);
}
