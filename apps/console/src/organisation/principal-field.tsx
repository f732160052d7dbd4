import { useId } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Field } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useAnswer } from "../../../common/src/session/use-answer.ts";

export interface PrincipalFieldProps {
  readonly session: Session;
  readonly label: string;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

interface Known {
  readonly people: readonly { readonly principal: string; readonly name?: string }[];
}

/** A field for a principal of the organisation, which offers its people by name. */
export function PrincipalField({ session, label, error, value, onValue }: PrincipalFieldProps) {
  const known = useAnswer<Known>(session, "/api/team/people?limit=500").value?.people ?? [];
  const id = useId();
  const { organisation = "" } = session.info.me ?? {};
  return (
    <div>
      <Field label={label} error={error}>
        {(attributes) => (
          <input
            {...attributes}
            list={id}
            maxLength={1000}
            placeholder={`${organisation}/…`}
            autoComplete="off"
            spellcheck={false}
            value={value}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
        )}
      </Field>
      <datalist id={id}>
        {known.map(({ principal, name = "" }) => (
          <option key={principal} value={principal}>
            {shortened(name, 80)}
          </option>
        ))}
      </datalist>
    </div>
  );
}
