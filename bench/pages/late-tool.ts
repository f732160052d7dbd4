/** The name of the tool to register; without one, the last tool is removed. */
export interface LateToolArguments {
  readonly name?: string;
}

/** When it was done, in milliseconds since 1970. */
export interface LateToolAnswer {
  readonly at: number;
}
