// The choice of a model, at the composer. Loaded once there is one.
import { createModelChoice } from "./model/model-choice.ts";
import type { ModelSource, TalkOptions } from "./talk-options.ts";
import { createModelPicker } from "./view/model-picker.ts";

export interface Models {
  readonly element: HTMLElement;
  draw(): void;
  close(): void;
}

export interface ModelsOptions extends Pick<TalkOptions, "agent" | "announce"> {
  readonly models: ModelSource;
}

export function createModels({ agent, announce, models }: ModelsOptions): Models {
  const choice = createModelChoice({
    agent,
    byDefault: () => models.byDefault,
    isOn: () => models.isOn,
    permits: (id) => models.permits?.(id) ?? true,
  });
  const picker = createModelPicker({ choice, announce, list: () => models.list() });
  return {
    element: picker.element,
    draw: picker.draw,
    close: choice.close,
  };
}
