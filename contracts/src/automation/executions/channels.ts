/** The WebSocket channel of automation jobs. */
import * as z from "zod";
import { defineChannel } from "../../core/channel.ts";
import { uuid } from "../../core/common.ts";
import { automationExecutionChannelPath } from "./paths.ts";

export const automationExecutionChannel = defineChannel({
	...automationExecutionChannelPath,
	summary: "One execution: how it stands, its output from the beginning and as it comes, to its end",
	params: z.object({ execution_id: uuid }),
	frames: {
		/** In UTF-16 code units, without gaps. */
		stdout_chunk: z.object({ offset: z.int(), text: z.string() }),
		/** The first one tells how it stands: `from` is null. */
		status_changed: z.object({ from: z.string().nullable(), to: z.string() }),
		execution_complete: z.object({ status: z.string(), artifacts: z.record(z.string(), z.unknown()) }),
	},
});
