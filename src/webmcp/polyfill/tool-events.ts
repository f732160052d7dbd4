interface ToolEventInit extends EventInit {
  readonly toolName?: string;
}

class ToolEvent extends Event {
  readonly toolName: string;

  constructor(type: string, { toolName = "", ...init }: ToolEventInit = {}) {
    super(type, init);
    this.toolName = `${toolName}`;
  }
}

/** A tool of this document was called. */
export class ToolActivatedEvent extends ToolEvent {}

/** Dispatched when the caller of a tool gives up. */
export class ToolCancelEvent extends ToolEvent {}
