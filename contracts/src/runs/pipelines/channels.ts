/** The WebSocket channel of runs. */
import * as z from "zod";
import { defineChannel } from "../../core/channel.ts";
import { uuid } from "../../core/common.ts";
import { chainExecutionChannelPath } from "./paths.ts";

/**
 * Progress of one run. A running one: all frames so far, then new ones. An ended one: its last
 * frame.
 */
export const chainExecutionChannel = defineChannel({
	...chainExecutionChannelPath,
	summary: "Progress of a run, from its first node to its end",
	params: z.object({ job_id: uuid }),
	frames: {
		node_start: z.object({ node_id: z.string(), class_name: z.string() }),
		node_result: z.object({ node_id: z.string(), row_count: z.int() }),
		node_complete: z.object({ node_id: z.string(), duration_ms: z.int() }),
		execution_complete: z.object({ status: z.literal("completed"), total_rows: z.int(), results_url: z.string() }),
		execution_failed: z.object({ error: z.string(), failed_node: z.string().nullable() }),
	},
});
