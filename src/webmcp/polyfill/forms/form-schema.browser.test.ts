import { expect, test } from "vitest";
import { formTool, newName, put } from "../polyfill.test-helper.ts";

type Properties = Record<string, object>;

/** The properties of a form's schema, and the required ones. */
async function schemaOf(fields: string): Promise<{ properties: Properties; required: string[] }> {
  const name = newName();
  put(`<form id="${name}-form" toolname="${name}" tooldescription="d">${fields.replaceAll("@", name)}</form>`);
  const { inputSchema, ...tool } = await formTool(name);
  expect(tool).toMatchObject({ name, description: "d", title: "" });
  expect(tool).not.toHaveProperty("annotations");
  expect(Object.keys(inputSchema ?? {})).toEqual(["type", "properties", "required"]);
  return inputSchema as { properties: Properties; required: string[] };
}

/** As JSON, because the order of keys matches the browser's, too. */
async function expectProperties(fields: string, expected: Properties, required: readonly string[] = []) {
  const found = await schemaOf(fields);
  expect(JSON.stringify(found.properties)).toBe(JSON.stringify(expected));
  expect(found.required).toEqual(required);
}

const text = { type: "string" };
const minutes = "([01][0-9]|2[0-3]):[0-5][0-9]";
const days = "[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}";
const dates = "Dates MUST be provided in 'YYYY-MM-DD' format.";
const formats: Record<string, string> = {
  month: "^[0-9]{4}-(0[1-9]|1[0-2])$",
  week: "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$",
  time: `^${minutes}$`,
  "datetime-local": `^${days}T${minutes}$`,
  color: "^#[0-9a-zA-Z]{6}$",
};
type Choice = string | readonly [value: string, title: string];
const oneOf = (...values: readonly Choice[]) => {
  const choices = values.map((value) => (typeof value === "string" ? ([value] as const) : value));
  const anyOf = choices.map(([value, title]) => ({
    type: "string",
    const: value,
    ...(title === undefined ? {} : { title }),
  }));
  return { type: "string", anyOf, enum: choices.map(([value]) => value) };
};
const someOf = (...values: readonly Choice[]) => ({ type: "array", items: oneOf(...values), uniqueItems: true });

test.each([
  ...["text", "search", "tel", "url", "email", "password", "banana", ""].map((type) => [type, text] as const),
  ...Object.entries(formats).map(([type, format]) => [type, { type: "string", format }] as const),
  ["date", { type: "string", format: "date", description: dates }],
  ["number", { type: "number", multipleOf: 1 }],
  ["range", { type: "number", minimum: 0, maximum: 100, multipleOf: 1 }],
  ["checkbox", { type: "boolean" }],
  ["radio", oneOf("on")],
] as const)("a field of type %j", async (type, schema) => {
  await expectProperties(`<input type="${type}" name="f">`, { f: schema });
});

test("fields that take nothing, or nothing now, are left out", async () => {
  const without = ["hidden", "file", "submit", "image", "reset", "button"];
  const none = without.map((type) => `<input type="${type}" name="${type}">`).join("");
  await expectProperties(
    `${none}<input name=a disabled><input name=b readonly><fieldset disabled><legend><input name=c></legend><input
      name=d></fieldset><select name=e disabled></select><textarea name=g readonly></textarea><button name=h></button
      ><output name=i></output><object name=j></object><input name=k type=date readonly><input name=l readonly
      type=checkbox><input name=m readonly type=range><input name=n hidden><input name=o style="display: none">`,
    {
      c: text,
      l: { type: "boolean" },
      m: { type: "number", minimum: 0, maximum: 100, multipleOf: 1 },
      n: text,
      o: text,
    },
  );
});

test("order, names and required", async () => {
  await expectProperties(
    `<input name=b required><textarea name=a required></textarea><input name="a b[]/~"><input name=constructor><input>
     <input name=F><select name=s required></select><input type=color name=c required><input name=z disabled required>`,
    {
      b: text,
      a: text,
      "a b[]/~": text,
      constructor: text,
      "": text,
      F: text,
      s: oneOf(),
      c: { type: "string", format: formats["color"] },
    },
    ["b", "a", "s", "c"],
  );
  const { properties } = await schemaOf(
    "<input name=__proto__><input name=inner></form><input name=outer form=@-form>",
  );
  expect(Object.keys(properties)).toEqual(["__proto__", "inner", "outer"]);
});

test("lengths and placeholders do not count; patterns do where they are ones", async () => {
  await expectProperties(
    `<input name=a minlength=2 maxlength=5 placeholder=p title=t value=v><input name=b pattern="[a-z]+"><input name=c
     pattern="("><input name=d pattern=""><input name=e type=number pattern=x><input name=f type=range pattern=x><input
     name=g type=date pattern=x><input name=h type=email multiple pattern=".*x"><textarea name=i pattern=x></textarea
     ><input name=j pattern="\\p{L}+">`,
    {
      a: text,
      b: { type: "string", pattern: "[a-z]+" },
      c: text,
      d: { type: "string", pattern: "" },
      e: { type: "number", multipleOf: 1, pattern: "x" },
      f: { type: "number", minimum: 0, maximum: 100, multipleOf: 1 },
      g: { type: "string", format: "date", description: dates },
      h: { type: "string", pattern: ".*x" },
      i: text,
      j: { type: "string", pattern: "\\p{L}+" },
    },
  );
});

test.each<[attributes: string, limits: object]>([
  ["step=any min=1.5", { minimum: 1.5 }],
  ["step=ANY", {}],
  ["step=0.5", { multipleOf: 0.5 }],
  ["step=-1", { multipleOf: 1 }],
  ["step=0 min=a max=b", { multipleOf: 1 }],
  ["step=1e2", { multipleOf: 100 }],
  ["min=5 max=2", { minimum: 5, maximum: 2, multipleOf: 1 }],
  ["min=-1e3 max=1e21", { minimum: -1000, maximum: 1e21, multipleOf: 1 }],
  ["min=-0", { minimum: 0, multipleOf: 1 }],
  ["min=.5", { minimum: 0.5 }],
  ["min=5. max=0x10", { multipleOf: 1 }],
  ["min=' 4 ' max=+4", { multipleOf: 1 }],
  ["min=1e400", { multipleOf: 1 }],
  ["min=1 step=2", { minimum: 1 }],
  ["min=-4 step=2", { minimum: -4, multipleOf: 2 }],
  ["min=0 step=3 value=1", { minimum: 0, multipleOf: 3 }],
  ["value=5 step=2", {}],
  ["value=abc step=2", { multipleOf: 2 }],
  ["min=.9 step=.3", { minimum: 0.9, multipleOf: 0.3 }],
  ["min=1.1 step=.1", { minimum: 1.1, multipleOf: 0.1 }],
])("a number with %s", async (attributes, limits) => {
  await expectProperties(`<input type=number name=f ${attributes}>`, { f: { type: "number", ...limits } });
});

test.each<[attributes: string, limits: object]>([
  ["min=a max=b step=c value=d", { minimum: 0, maximum: 100, multipleOf: 1 }],
  ["min=10 max=0", { minimum: 10, maximum: 10, multipleOf: 1 }],
  ["max=-5", { minimum: 0, maximum: 0, multipleOf: 1 }],
  ["min=5 step=10", { minimum: 5, maximum: 100 }],
  ["step=any", { minimum: 0, maximum: 100, multipleOf: 1 }],
  ["step=.5 value=1", { minimum: 0, maximum: 100, multipleOf: 0.5 }],
])("a range with %s", async (attributes, limits) => {
  await expectProperties(`<input type=range name=f ${attributes}>`, { f: { type: "number", ...limits } });
});

test.each([
  ...["60", "61", "90", "3600", "any", "-1", "x"].map((step) => [step, ""]),
  ...["1", "1.5", "2", "30"].map((step) => [step, "(:[0-5][0-9])?"]),
  ...["0.5", "0.001"].map((step) => [step, "(:[0-5][0-9](\\.[0-9]{1,3})?)?"]),
])("times with a step of %s", async (step, seconds) => {
  await expectProperties(`<input type=time name=a step="${step}"><input type=datetime-local name=b step="${step}">`, {
    a: { type: "string", format: `^${minutes}${seconds}$` },
    b: { type: "string", format: `^${days}T${minutes}${seconds}$` },
  });
});

test("choices have their values, and as titles what the user reads", async () => {
  await expectProperties(
    `<select name=a><option>A<option value=b label=L>B<option value="">none</select><select name=b multiple required
     ><optgroup label=G><option>A</optgroup><option disabled>B<option hidden>C</select><select name=c><option>  two
     words </option></select><input type=radio name=d value=a><label> The <b>b</b> <input type=radio name=d value=b
     required></label><label>x<input type=checkbox name=e value=a></label><input type=checkbox name=e value=b><input
     type=radio name=f><input type=radio name=f disabled value=x><input type=checkbox name=g><input type=checkbox name=g
     disabled><select name=h><option value=v>1<option value=v>2</select>`,
    {
      a: oneOf(["A", "A"], ["b", "B"], ["", "none"]),
      b: someOf(["A", "A"], ["B", "B"], ["C", "C"]),
      c: oneOf(["two words", "  two\n     words "]),
      d: oneOf("a", ["b", "The b"]),
      e: someOf(["a", "x"], "b"),
      f: oneOf("on"),
      g: { type: "boolean" },
      h: oneOf(["v", "1"], ["v", "2"]),
    },
    ["b", "d"],
  );
});

test.each([
  "<input name=f><input name=f>",
  "<input name=f><textarea name=f></textarea>",
  "<input name=f type=hidden><input name=f type=checkbox>",
  "<input name=f type=radio><input name=f type=checkbox>",
  "<input name=f><button name=f>x</button>",
  "<select name=f></select><select name=f></select>",
  "<input><button>x</button>",
])("of a name that several fields share it cannot be told which is meant: %s", async (fields) => {
  await expectProperties(fields, {});
});

test.each<[field: string, description: string | undefined]>([
  ["<input name=f toolparamdescription=' own '>", " own "],
  ["<label>Label<input name=f toolparamdescription=own></label>", "own"],
  ["<label> Label <input name=f toolparamdescription=''></label>", "Label"],
  ["<label for=@>One</label><label for=@> Two </label><input id=@ name=f aria-description=aria>", "One; Two"],
  ["<label>A <b>b</b><br>c<textarea name=f>text</textarea> after<button>no</button></label>", "A bc after"],
  ["<label>A<button>its own</button><input name=f></label>", undefined],
  ["<label for=@> </label><input id=@ name=f aria-description=' aria '>", " aria "],
  ["<input name=f toolparamtitle=t title=t placeholder=t aria-label=t aria-labelledby=t>", undefined],
])("the description of %s", async (field, description) => {
  await expectProperties(field, { f: { ...text, ...(description === undefined ? {} : { description }) } });
});

test("several fields are described by their fieldset, and a date's description has its format", async () => {
  const radios =
    "<input type=radio name=f value=a toolparamdescription=no><div><input type=radio name=f value=b></div>";
  const schema = oneOf("a", "b");
  const described = { f: { ...schema, description: "own" } };
  await expectProperties(`<fieldset toolparamdescription=own>${radios}</fieldset>`, described);
  await expectProperties(`<fieldset toolparamdescription=no><fieldset>${radios}</fieldset></fieldset>`, { f: schema });
  await expectProperties(`<div toolparamdescription=no>${radios}</div>`, { f: schema });
  await expectProperties(`<fieldset toolparamdescription=no><input name=f></fieldset>`, { f: text });
  await expectProperties("<input type=radio name=f value=a toolparamdescription=own>", {
    f: { ...oneOf("a"), description: "own" },
  });
  await expectProperties("<label>When<input name=f type=date></label>", {
    f: { type: "string", format: "date", description: `When (${dates})` },
  });
});
