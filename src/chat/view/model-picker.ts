// The model of the next question, and a list to choose another from. The list is asked for when it is opened.
import type { AiModel } from "../../element/index.ts";
import { showInvisible } from "../../wire/index.ts";
import { html, icon, show } from "../dom/dom.ts";
import type { ModelChoice } from "../model/model-choice.ts";
import { errorText } from "../model/outcome-of.ts";
import type { Announce, ModelSource } from "../talk-options.ts";
import { icons } from "./icons.ts";

export interface ModelPickerOptions {
  readonly choice: Pick<ModelChoice, "current" | "choose">;
  readonly list: ModelSource["list"];
  readonly announce: Announce;
}

export interface ModelPicker {
  readonly element: HTMLElement;
  draw(): void;
}

let pickers = 0;

export function createModelPicker({ choice, list, announce }: ModelPickerOptions): ModelPicker {
  const id = `models-${(pickers += 1)}`;
  const name = html("span", { class: "model-name" });
  const says = html("span", { class: "visually-hidden" }, "Model: ");
  const opens = { "aria-haspopup": "listbox", "aria-expanded": "false", "aria-controls": id, part: "model" };
  const attributes = { type: "button", class: "model-button", ...opens, onclick: toggle };
  const button = html("button", attributes, says, name, icon(icons.choose));
  const found = createModelList(id, { isCurrent: (model) => model.id === choice.current, choose });
  const { field, note } = found;
  const panel = html("div", { class: "model-panel", hidden: true }, field, found.options, note);
  const element = html("div", { class: "model-picker" }, button, panel);
  let opened = 0;

  function toggle(): void {
    if (panel.hidden) void open();
    else close();
  }

  async function open(): Promise<void> {
    const own = (opened += 1);
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    field.value = "";
    found.find();
    field.focus();
    if (found.isEmpty) note.textContent = "Asking for the models…";
    try {
      const listed = await list();
      if (own === opened) found.fill(listed);
    } catch (error) {
      if (own === opened) note.textContent = `The models cannot be listed. ${errorText(error as Error)}`;
    }
  }

  function close(): void {
    opened += 1;
    const hadFocus = panel.matches(":focus-within");
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (hadFocus) button.focus();
  }

  function choose({ id: chosen, name: title }: AiModel): void {
    choice.choose(chosen);
    close();
    draw();
    announce(`The next question goes to ${title || chosen}.`);
  }

  function draw(): void {
    name.textContent = showInvisible(choice.current) || "Choose a model";
  }

  element.addEventListener("keydown", (event) => {
    const { key, target, isComposing } = event;
    const act = key === "Escape" ? close : target === field ? found.keys[key] : undefined;
    if (panel.hidden || isComposing || !act) return;
    // Neither sends the message nor stops the answer.
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  element.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) close();
  });
  draw();
  return { element, draw };
}

/** More are found by typing. */
const maxShown = 100;

interface ModelListOptions {
  readonly isCurrent: (model: AiModel) => boolean;
  readonly choose: (model: AiModel) => void;
}

/** A field that finds models, and the list of those that it found: the focus stays in the field. */
function createModelList(id: string, { isCurrent, choose }: ModelListOptions) {
  const label = { "aria-label": "Find a model", placeholder: "Find a model" };
  const combo = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "true", "aria-controls": id };
  const field = html("input", { type: "text", autocomplete: "off", ...label, ...combo });
  const options = html("ul", { role: "listbox", id, "aria-label": "Models" });
  const note = html("p", { role: "status" });
  let models: readonly AiModel[] = [];
  let found: readonly AiModel[] = [];
  let active = 0;

  function find(): void {
    const words = field.value.toLowerCase().split(/\s+/);
    found = models.filter((model) => words.every((word) => `${model.id} ${model.name}`.toLowerCase().includes(word)));
    active = Math.max(0, found.slice(0, maxShown).findIndex(isCurrent));
    const more = found.length - maxShown;
    note.textContent = more > 0 ? `And ${more} more: type to find them.` : found.length === 0 ? "There is none." : "";
    draw();
  }

  function draw(): void {
    const shown = found.slice(0, maxShown);
    show(options, ...shown.map(optionOf));
    options.hidden = shown.length === 0;
    if (shown.length > 0) field.setAttribute("aria-activedescendant", `${id}-${active}`);
    else field.removeAttribute("aria-activedescendant");
    options.children[active]?.scrollIntoView({ block: "nearest" });
  }

  function optionOf(model: AiModel, at: number): HTMLElement {
    const { id: modelId, name: title, context } = model;
    const about = [title === modelId ? "" : modelId, context ? `reads ${context.toLocaleString("en")} tokens` : ""];
    const option = html(
      "li",
      { role: "option", id: `${id}-${at}`, "aria-selected": String(isCurrent(model)), onclick: () => choose(model) },
      showInvisible(title),
      html("span", {}, showInvisible(about.filter((part) => part !== "").join(" · "))),
    );
    option.classList.toggle("active", at === active);
    return option;
  }

  function move(by: number): void {
    const count = Math.min(found.length, maxShown);
    active = count === 0 ? 0 : (active + by + count) % count;
    draw();
  }

  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter() {
      const model = found[active];
      if (model) choose(model);
    },
  };

  field.addEventListener("input", find);
  // A press on an option would take the focus from the field.
  options.addEventListener("mousedown", (event) => event.preventDefault());
  return {
    ...{ field, options, note, keys, find },
    get isEmpty() {
      return models.length === 0;
    },
    fill(listed: readonly AiModel[]) {
      models = listed;
      find();
    },
  };
}
