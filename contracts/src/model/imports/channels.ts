/** The WebSocket channel of the model's versions and imports. */
import * as z from "zod";
import { defineChannel } from "../../core/channel.ts";
import { uuid } from "../../core/common.ts";
import { mimImportChannelPath } from "./paths.ts";

/** The progress of one import: current state first, then changes, a few per second at most. */
export const mimImportChannel = defineChannel({
	...mimImportChannelPath,
	summary: "Progress of an import, to its end",
	params: z.object({ task_id: uuid }),
	frames: {
		phase: z.object({ phase: z.enum(["download", "parse", "switch"]), message: z.string() }),
		progress: z.object({ step: z.enum(["classes", "properties"]), current: z.int(), total: z.int() }),
		import_complete: z.object({
			version: z.string(),
			classes: z.int(),
			properties: z.int(),
			duration_ms: z.int(),
		}),
		import_failed: z.object({ error: z.string() }),
	},
});
