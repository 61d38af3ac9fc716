/** The WebSocket channel of automation requests. */
import * as z from "zod";
import { defineChannel } from "../../core/channel.ts";
import { uuid } from "../../core/common.ts";
import { automationRequestChannelPath } from "./paths.ts";

const requestState = z.object({ status: z.string(), executions_total: z.int(), executions_complete: z.int() });

/** One request over all its executions. A request that has ended well is `succeeded` here. */
export const automationRequestChannel = defineChannel({
	...automationRequestChannelPath,
	summary: "A request over all its executions: first how it stands, then what changes, to its end",
	params: z.object({ request_id: uuid }),
	frames: {
		request_status: requestState,
		execution_spawned: z.object({ execution_id: z.string(), automation_job_id: z.int().nullable() }),
		execution_status: z.object({ execution_id: z.string(), status: z.string() }),
		execution_complete: z.object({ execution_id: z.string(), status: z.string() }),
		request_complete: z.object({ status: z.string(), duration_ms: z.int() }),
	},
});
