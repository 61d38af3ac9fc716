/** A change window over a WebSocket: its state, rounds, items and verdicts. */
import { changeWindowChannel } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { isAllowed } from "../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import type { BoundChannel, SourceFrame } from "../../core/ws/hub.ts";
import { isOver } from "./rules/transitions.ts";
import { listCaptures, listRounds } from "./sql/rounds.ts";
import { findShownWindow } from "./sql/windows.ts";
import { getWindowTopic } from "./topic.ts";

export function createChannel(ctx: Context): BoundChannel {
	const { db } = ctx.store;
	return {
		contract: changeWindowChannel,
		async open(identity, params) {
			const { id } = params as { id: string };
			if ((await findShownWindow(db, identity, id)) === undefined) throw buildNotFoundError();
			if (!isAllowed(identity, "view_changewindow")) throw buildForbiddenError();
			/** JSON of the last frame of each place, such as an item. */
			const sent = new Map<string, string>();
			let isEnded = false;
			return {
				topic: getWindowTopic(id),
				async next() {
					if (isEnded) return [];
					const window = await findShownWindow(db, identity, id);
					if (window === undefined) return [];
					const timestamp = new Date(ctx.clock.now());
					const frames: SourceFrame[] = [];
					const send = (place: string, type: SourceFrame["type"], data: SourceFrame["data"]) => {
						const text = JSON.stringify(data);
						if (sent.get(place) === text) return;
						sent.set(place, text);
						frames.push({ type, timestamp, data });
					};
					send("state", "state", { state: window.state });
					const round = (await listRounds(db, id)).at(-1);
					if (round !== undefined) {
						const { phase, ended_at } = round;
						send("round", "round", { round: round.round, phase, ended: ended_at !== null });
						for (const capture of await listCaptures(db, id, round.round)) {
							if (capture.is_complete === null || !window.visible_ids.includes(capture.connection_id)) continue;
							const { saved_query_id: saved_query, connection_id } = capture;
							const status = capture.is_complete ? "completed" : "failed";
							const place = `${saved_query} ${connection_id}`;
							send(place, "item", { round: round.round, saved_query, connection_id, status });
						}
					}
					if (window.verdict !== null)
						send(`verdict ${window.verdicts.length}`, "verdict", {
							verdict: window.verdict,
							verdict_reasons: window.verdict_reasons,
						});
					isEnded = isOver(window.state);
					if (isEnded) send("end", "end", { state: window.state });
					return frames;
				},
			};
		},
	};
}
