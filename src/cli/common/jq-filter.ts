import { messageOf } from "../../wire/index.ts";
import type { PagewireError } from "../../wire/index.ts";
import { usageError } from "./command.ts";
import { plainText } from "./plain-text.ts";
import type { Printer } from "./printer.ts";

export interface JqFilter {
  readonly printer: Printer;
  /** Throws if the filter did not fit everything that it was given. A command that goes on has printed the rest by then. */
  check(): void;
}

/** The printer, with its JSON passed through a jq filter. As with `jq --raw-output`, a text is printed without quotes. */
export async function filterJson(printer: Printer, text: string): Promise<JqFilter> {
  const { compile } = await import("@michaelhomer/jqjs");
  let failure: PagewireError | undefined;

  function refusal(error: unknown): PagewireError {
    return usageError(`The filter ${JSON.stringify(text)} does not work here: ${messageOf(error)}`);
  }

  function parse() {
    try {
      return compile(text);
    } catch (error) {
      throw refusal(error);
    }
  }
  const filter = parse();

  function print(value: unknown): void {
    if (typeof value === "string") printer.line(plainText(value));
    else printer.data(value);
  }

  return {
    printer: {
      ...printer,
      json: true,
      data(value) {
        try {
          for (const found of filter(value)) print(found);
        } catch (error) {
          failure ??= refusal(error);
        }
      },
    },
    check() {
      if (failure) throw failure;
    },
  };
}
