import { formElements } from "./form-parameters.ts";

type SubmitButton = HTMLButtonElement | HTMLInputElement;

/** Whether an element submits a form. */
export function isSubmitButton(element: Element): element is SubmitButton {
  const { type } = element as SubmitButton;
  return element.matches("button, input") && /^(submit|image)$/.test(type) && !element.matches(":disabled");
}

/** The button that a form is submitted by: the first that can be. */
export function submitButton(form: HTMLFormElement): SubmitButton | undefined {
  // Images are not among a form's elements.
  return [...document.querySelectorAll("button, input")].filter(isSubmitButton).find((button) => button.form === form);
}

/** What keeps a form from being submitted, or nothing. */
export function validationProblems(form: HTMLFormElement, button: SubmitButton | undefined): string | undefined {
  if (form.noValidate || button?.formNoValidate) return undefined;
  const invalid = formElements(form).filter((element) => {
    const { willValidate, validity } = element as HTMLInputElement;
    return willValidate && !validity.valid;
  });
  const messages = (invalid as HTMLInputElement[]).map(
    ({ name, validationMessage }) => `${name}: ${validationMessage}`,
  );
  return messages.length > 0 ? `Form validation failed: ${messages.join(" ")}` : undefined;
}
