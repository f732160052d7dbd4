// Ids of the worker's own calls. They differ from any hub's ids, so that every worker, also the next one, can recognize
// them in a frame.
const mark = "worker:";

/** Ids that are unique across workers and hubs. */
export function createCallIds(): () => string {
  const run = crypto.randomUUID().replaceAll("-", "");
  let count = 0;
  return () => `${mark}${run}.${(count++).toString(36)}`;
}

/** Whether this worker or an earlier one created the id. */
export function isFromWorker(id: string): boolean {
  return id.startsWith(mark);
}
