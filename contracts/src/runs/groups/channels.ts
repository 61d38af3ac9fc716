/** The WebSocket channel of group runs. */
import * as z from "zod";
import { defineChannel } from "../../core/channel.ts";
import { uuid } from "../../core/common.ts";
import { groupExecutionChannelPath } from "./paths.ts";
import { GROUP_RUN_STATUSES, GROUP_STATUSES } from "./values.ts";

/** Progress of all runs: how each stands now, then each change, then the end. */
export const groupExecutionChannel = defineChannel({
	...groupExecutionChannelPath,
	summary: "Progress of a group execution: each connection's run, and the end",
	params: z.object({ id: uuid }),
	frames: {
		run_status: z.object({
			controller_connection_id: z.string(),
			status: z.enum(GROUP_RUN_STATUSES),
			total_rows: z.int().nullable(),
		}),
		group_complete: z.object({ status: z.enum(GROUP_STATUSES), total_rows: z.int(), results_url: z.string() }),
	},
});
