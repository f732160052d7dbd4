declare module "@michaelhomer/jqjs" {
  /** Throws where it cannot parse the program; the filter throws where it does not fit the value. */
  export function compile(program: string): (value: unknown) => Iterable<unknown>;
}
