import { h } from "preact";
import type { ComponentChildren, LooseInputHTMLAttributes, TextareaHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

interface Labelled {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The fault of the value, and how to mend it. */
  readonly error?: string | undefined;
  /** For screen readers only: the place says it for those who see. */
  readonly hidesLabel?: boolean;
}

/** The attributes that connect a control with its label, its hint and its error. */
export interface ControlAttributes {
  readonly id: string;
  readonly class: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

export interface FieldProps extends Labelled {
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

/** A label, a control of any kind, its hint and its error. */
export function Field({ label, hint, error, hidesLabel = false, children }: FieldProps) {
  const id = useId();
  const isWrong = error !== undefined && error !== "";
  const notes = [hint !== undefined && `${id}-hint`, isWrong && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id} class={hidesLabel ? "visually-hidden" : undefined}>
        {label}
      </label>
      {children({
        id,
        class: "input",
        ...(notes !== "" && { "aria-describedby": notes }),
        ...(isWrong && { "aria-invalid": true }),
      })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isWrong && (
        <p class="problem" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface Valued extends Labelled {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

type Native = Pick<
  LooseInputHTMLAttributes<HTMLInputElement>,
  "type" | "min" | "max" | "step" | "pattern" | "inputMode" | "autocomplete" | "onKeyDown"
> &
  Pick<
    TextareaHTMLAttributes<HTMLTextAreaElement>,
    "name" | "disabled" | "required" | "placeholder" | "minLength" | "maxLength" | "rows" | "spellcheck" | "autofocus"
  >;

interface ControlProps extends Valued {
  readonly tag: "input" | "textarea" | "select";
  readonly children?: ComponentChildren;
}

/** A field with a control of the browser's. */
function Control({ tag, label, hint, error, hidesLabel = false, value, onValue, children, ...rest }: ControlProps) {
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onValue(currentTarget.value);
  return (
    <Field {...{ label, hint, error, hidesLabel }}>
      {(attributes) =>
        h(
          tag as "input",
          { ...attributes, ...rest, value, [tag === "select" ? "onChange" : "onInput"]: change },
          children,
        )
      }
    </Field>
  );
}

/** A line of text, a number, a date: the kind is its `type`. */
export function TextField(props: Valued & Native) {
  return <Control tag="input" {...props} />;
}

export function TextArea(props: Valued & Native) {
  return <Control tag="textarea" {...{ rows: 4, ...props }} />;
}

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

interface SelectProps extends Valued, Pick<Native, "name" | "disabled" | "required"> {
  readonly options: readonly Option[];
}

export function Select({ options, ...props }: SelectProps) {
  return (
    <Control tag="select" {...props}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </Control>
  );
}

export interface SwitchProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Switch({ label, hint, checked, disabled = false, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch">
      <input
        type="checkbox"
        role="switch"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
