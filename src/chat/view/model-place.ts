import { html } from "../dom/dom.ts";
import type { Models } from "../create-models.ts";
import type { TalkOptions } from "../talk-options.ts";

/** The place of the model's choice. What belongs to it is loaded once there is a choice. */
export function createModelPlace({ agent, announce, models: source }: TalkOptions): Models {
  const element = html("div", { class: "model-place", hidden: true });
  let models: Models | undefined;
  let isAsked = false;
  let isClosed = false;

  function draw(): void {
    const isOn = source?.isOn ?? false;
    element.hidden = !isOn;
    models?.draw();
    if (!source || !isOn || isAsked) return;
    isAsked = true;
    // Without it the chat goes on with the model that it has.
    void import("../create-models.ts").then(
      ({ createModels }) => {
        if (isClosed) return;
        models = createModels({ agent, announce, models: source });
        element.append(models.element);
      },
      () => (isAsked = false),
    );
  }

  return {
    element,
    draw,
    close() {
      isClosed = true;
      models?.close();
    },
  };
}
