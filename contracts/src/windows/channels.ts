/** The WebSocket channel of a change window. */
import * as z from "zod";
import { defineChannel } from "../core/channel.ts";
import { uuid } from "../core/common.ts";
import { changeWindowChannelPath } from "./paths.ts";
import { VERDICTS, WINDOW_STATES } from "./values.ts";

/** Sends the present state, then each change; closes with 1000 after the frame `end`. */
export const changeWindowChannel = defineChannel({
	...changeWindowChannelPath,
	summary: "A change window from its state now to its end: rounds, items and the verdict",
	params: z.object({ id: uuid }),
	frames: {
		state: z.object({ state: z.enum(WINDOW_STATES) }),
		round: z.object({ round: z.int(), phase: z.enum(["before", "after"]), ended: z.boolean() }),
		item: z.object({
			round: z.int(),
			saved_query: z.string(),
			connection_id: z.string(),
			status: z.enum(["completed", "failed"]),
		}),
		verdict: z.object({ verdict: z.enum(VERDICTS), verdict_reasons: z.array(z.string()) }),
		end: z.object({ state: z.enum(["closed", "cancelled", "expired"]) }),
	},
});
