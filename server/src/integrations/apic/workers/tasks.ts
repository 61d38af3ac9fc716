import { makeDetachable, type TaskAnswer } from "../../../core/workers/serve.ts";
import { type Inspected, inspectAnswer } from "../inspect.ts";

/** As `Inspected`; a thread gives the bytes back. */
type Found = Omit<Inspected, "body"> & { readonly body: Uint8Array };

export const controllerTasks = {
	/** Null where the answer is not JSON. */
	inspect(answer: Uint8Array): TaskAnswer<Found | null> {
		const found = inspectAnswer(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength));
		if (found === null) return { value: null };
		const { bytes, memory } = makeDetachable(found.body);
		return { value: { ...found, body: bytes }, transfer: [memory] };
	},
};
export type ControllerTasks = typeof controllerTasks;
